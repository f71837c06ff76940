"""What commands that copy stores say at their end."""

from argparse import Namespace
from collections.abc import Iterator, Sequence

from pckc_domain.model.scope import Scope
from pckc_domain.usecases.migrate import Copied

from pckc_mcp.cli.output import note, print_json, print_text
from pckc_mcp.forms import Form, answer


def tenants_of(scopes: Sequence[Scope], current: str) -> list[str]:
    """Return whose projects these are, by name; *current* was looked for too, even if it has none."""
    return sorted({current, *(scope.tenant for scope in scopes)})


def report_copied(
    command: str, copied: Sequence[Copied], place: str, options: Namespace, *, here: Scope | None = None
) -> None:
    """Print each project with its counts; with *here*, the folder's own, also which of them this folder shows."""
    notes = list(_unseen(copied, here)) if here else []
    if options.json:
        form = answer(command, {}, place=place, projects=[_form(one, here) for one in copied])
        print_json(form | ({"project": here.project, "tenant": here.tenant, "notes": notes} if here else {}))
    elif not options.quiet:
        print_text("\n".join([place, *(_line(one, here) for one in copied), *notes]))
        note("pckc: vectors are not copied; `pckc index` makes them anew")


def _form(one: Copied, here: Scope | None) -> Form:
    shown = {"shown_here": one.scope == here} if here else {}
    whose = {"tenant": one.scope.tenant, "project": one.scope.project}
    return {**whose, "was_there": one.was_there, **shown, "counts": dict(one.counts)}


def _line(one: Copied, here: Scope | None) -> str:
    counts = ", ".join(f"{count} {kind}" for kind, count in one.counts.items() if count)
    whose = f"{one.scope.project} of {one.scope.tenant}"
    if here:
        whose += " (shown here)" if one.scope == here else " (not shown here)"
    return f"  {whose}: {'was there already, ' if one.was_there else ''}{counts or 'nothing'}"


def _unseen(copied: Sequence[Copied], here: Scope) -> Iterator[str]:
    """Yield what to do to see what came of other projects and tenants: no query crosses to them from *here*."""
    scopes = [one.scope for one in copied]
    if not scopes:
        yield "the archive holds no project"
    elif here not in scopes:
        yield f"nothing of it is shown here: this folder is {here.project} of {here.tenant}"
    if any(scope.project != here.project for scope in scopes):
        yield (
            "another project is shown in a folder of its own: read the archive there, with `--project FOLDER`"
            " and the same store if one is named"
        )
    if others := sorted({scope.tenant for scope in scopes} - {here.tenant}):
        yield f"what is of another tenant is shown with PCKC_TENANT={others[0]}"
