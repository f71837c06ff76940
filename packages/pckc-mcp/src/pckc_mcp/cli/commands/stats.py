"""``pckc stats``: count what the store holds."""

from argparse import Namespace
from typing import Any

from pckc_mcp.cli.output import print_json, print_text
from pckc_mcp.opening import open_engine
from pckc_mcp.statistics import stats_form


def run(options: Namespace) -> int:
    """Print the counts."""
    with open_engine(options.project, store=options.store) as engine:
        form = stats_form(engine)
    if options.json:
        print_json(form)
    else:
        print_text(_text(form))
    return 0


def _text(form: dict[str, Any]) -> str:
    lines = [f"{form['project']}", f"  store     {form['store']} ({form['bytes_on_disk'] / 1e6:.1f} MB)"]
    for layer, count in form["layers"].items():
        stale = f" ({count['stale']} stale)" if count["stale"] else ""
        lines.append(f"  {layer:12}{count['fresh']}{stale}")
    sessions = form["sessions"]
    lines.append(f"  sessions    {sessions['total']} ({form['events']['total']} events){_named(sessions['by_host'])}")
    lines.append(f"  evidence    {form['evidence']}")
    lines.append(f"  claims      {form['claims']['total']}{_named(form['claims']['by_type'])}")
    distilled = form["distillations"]
    lines.append(f"  distilled   {distilled['done']} of {sum(distilled.values())} chunks, {distilled['failed']} failed")
    lines.append(f"  gaps        {form['gaps']['total']}{_named(form['gaps']['by_status'])}")
    lines.append(f"  traces      {form['traces']}")
    for name, index in form["coverage"].items():
        behind = f", {index['behind']:,} changes behind" if index["behind"] else ""
        lines.append(f"  {name} indexed: {index['indexed']} of {index['total']}{behind}")
    lines += [f"  {name}: {count} changes set aside" for name, count in form["set_aside"].items()]
    lines += [f"  {name}: a rebuild was begun and is not finished" for name in form["building"]]
    if form["missing_vectors"]:
        of = f"{form['missing_vectors']:,} of {form['wanted_vectors']:,}"
        lines.append(f"  vectors: {of} are missing; run `pckc rebuild --vectors`")
    if (graph_index := form["graph_index"]) and graph_index["trouble"]:
        lines.append(f"  graph_index: {graph_index['trouble']}, {graph_index['behind']} changes behind")
    lines.append(f"  embedder  {form['embedder'] or form['why_no_embedder']}")
    lines.append(f"  indexed   {form['indexed_at'] or 'never'}{'' if form['is_complete'] else ', not complete'}")
    return "\n".join(lines)


def _named(counts: dict[str, int]) -> str:
    return f" ({', '.join(f'{count} {name}' for name, count in counts.items())})" if counts else ""
