"""A block of lines between marks, at the end of a text that is otherwise left as it is."""

BEGIN = "# >>> pckc >>> written by `pckc setup`, taken back by `pckc uninstall`"
END = "# <<< pckc <<<"


def has_block(text: str) -> bool:
    """Return whether *text* has a block."""
    return _span(text) is not None


def without_block(text: str) -> str:
    """Return *text* without the block and the empty line before it."""
    span = _span(text)
    if span is None:
        return text
    lines = text.split("\n")
    start, end = span
    if start and end == len(lines) - 1 and not lines[start - 1]:
        start -= 1
    return "\n".join(lines[:start] + lines[end:])


def with_block(text: str, block: str) -> str:
    """Return *text* with *block* as its block: in the place of the one it has, else at its end."""
    marked = [BEGIN, *block.rstrip("\n").split("\n"), END]
    span = _span(text)
    if span is not None:
        lines = text.split("\n")
        return "\n".join(lines[: span[0]] + marked + lines[span[1] :])
    start = "" if not text else text if text.endswith("\n") else f"{text}\n"
    return start + ("\n" if start.strip() else "") + "\n".join(marked) + "\n"


def _span(text: str) -> tuple[int, int] | None:
    """Return the first line of the last block and the one behind it; a mark without its other one is no block."""
    start: int | None = None
    span: tuple[int, int] | None = None
    for number, line in enumerate(text.split("\n")):
        if line.strip().startswith("# >>> pckc >>>"):
            start = number
        elif line.strip() == END and start is not None:
            span = (start, number + 1)
            start = None
    return span
