"""Texts as tokenizers can read them."""


def readable(text: str, *, max_characters: int) -> str:
    """Return the head of *text*, its lone surrogates replaced by question marks."""
    return text[:max_characters].encode("utf-8", "replace").decode("utf-8")


def is_ascii_script(text: str) -> bool:
    """Return whether three quarters of the letters of *text* are ASCII, as in English; so it is without any letter."""
    letters = [character.isascii() for character in text if character.isalpha()]
    return 4 * sum(letters) >= 3 * len(letters)
