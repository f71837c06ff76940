"""Texts as tokenizers can read them."""


def readable(text: str, *, max_characters: int) -> str:
    """Return the head of *text*, its lone surrogates replaced by question marks."""
    return text[:max_characters].encode("utf-8", "replace").decode("utf-8")
