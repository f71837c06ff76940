"""``pckc backup`` and ``pckc export``: write all that a store holds to one file, compressed or as plain lines."""

from argparse import Namespace

from pckc_mcp.cli.copied import tenants_of
from pckc_mcp.cli.output import print_json, print_text, progress_bar
from pckc_mcp.forms import answer
from pckc_mcp.hooks.intake import take_in_if_possible
from pckc_mcp.opening import open_engine
from pckc_mcp.stores import PACKED, write_archive


def run(options: Namespace) -> int:
    """Write the archive and say what is in it."""
    is_packed = options.command == "backup" or options.file.name.endswith(PACKED)
    with open_engine(options.project, store=options.store, with_semantic=False) as engine:
        take_in_if_possible(engine)
        scopes = [engine.scope] if options.this_project else list(engine.canonical.scopes())
        with progress_bar(quiet=options.quiet) as progress:
            size = write_archive(engine.canonical, scopes, options.file, progress, is_packed=is_packed)
        tenants = tenants_of(scopes, engine.scope.tenant)
    projects = [scope.project for scope in scopes]
    if options.json:
        form = answer(options.command, {}, file=str(options.file), bytes=size, projects=projects, tenants=tenants)
        print_json(form)
    elif not options.quiet:
        whose = f"tenants: {', '.join(tenants)}"
        print_text(f"{options.file}: {size / 1e6:.1f} MB of {', '.join(projects) or 'an empty store'} ({whose})")
    return 0
