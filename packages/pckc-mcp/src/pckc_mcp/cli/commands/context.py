"""``pckc context``: the compiled context of a task."""

from argparse import Namespace

from pckc_mcp.cli.commands.search import check_semantic, wants_semantic
from pckc_mcp.cli.output import counted, note, print_json, print_text
from pckc_mcp.forms import changes_form, changes_text
from pckc_mcp.hooks.intake import take_in_if_possible
from pckc_mcp.opening import open_engine
from pckc_mcp.pack_forms import pack_form, tells_documents
from pckc_mcp.requests import context_request


def run(options: Namespace) -> int:
    """Compile and print the text an agent would get, or the pack."""
    request = context_request(
        options.task,
        intent=options.intent,
        layers=options.layer,
        types=options.type or None,
        files=options.file,
        symbols=options.symbol,
        budget=options.budget,
    )
    with_semantic = wants_semantic(options, in_batch=False)
    with open_engine(options.project, store=options.store, with_semantic=with_semantic) as engine:
        take_in_if_possible(engine)
        check_semantic(engine, options)
        engine.tree.begin()
        compiler = engine.compiler(engine.semantic)
        pack = compiler.compile(engine.scope, request, checkout_id=engine.checkout.id)
        changes = engine.tree.changes()
        raised = engine.gap_keeper().raise_from(engine.scope, pack) if options.raise_gaps else ()
        if options.json:
            print_json(pack_form(pack, changes))
        else:
            print_text(pack.text)
        is_missed = pack.indexed_at is not None or not tells_documents(pack)
        if is_missed and not (pack.is_complete or options.quiet):
            lack = "never indexed" if pack.indexed_at is None else "the index is not complete"
            note(f"pckc: {lack}: run `pckc index`")
        if (changed := changes_text(changes_form(changes))) and not options.quiet:
            note(f"pckc: {changed}: run `pckc sync`")
        if raised and not options.quiet:
            note(f"pckc: {counted(len(raised), 'gap')} registered: see `pckc gaps`")
        if not options.quiet:
            _note_lack(options, is_empty=not pack.text.strip())
    return 0


def _note_lack(options: Namespace, *, is_empty: bool) -> None:
    if not options.task.strip():
        note('pckc: empty task: say what is to be done, such as `pckc context "fix the login"`')
    elif is_empty:
        note(f"pckc: nothing fits into {options.budget} tokens; raise --budget")
