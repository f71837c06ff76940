"""Charsets of text, and what is no text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_adapters_sources.documents.cleaning import clean
from pckc_adapters_sources.documents.kinds import Format, format_of
from pckc_adapters_sources.documents.plain import decoded, read_text
from pckc_domain.errors import InvalidInputError

RUSSIAN = "Сервер слушает порт 9090.\r\nЖурнал хранится месяц."


def test_a_declared_charset_is_believed_where_it_fits() -> None:
    assert decoded(RUSSIAN.encode("cp1251"), "windows-1251") == RUSSIAN.replace("\r", "")
    assert decoded("naïve €".encode("cp1252"), "iso-8859-1") == "naïve €"
    assert decoded(RUSSIAN.encode(), "no-such", "", "koi8-r") == RUSSIAN.encode().decode("koi8-r").replace("\r", "")


def test_a_byte_order_mark_goes_before_what_is_declared() -> None:
    assert decoded(RUSSIAN.encode("utf-8-sig"), "cp1251") == RUSSIAN.replace("\r", "")


@pytest.mark.parametrize("data", [bytes(range(256)) * 9, b"\x7fELF" + bytes(99), b"GIF89a\x01\x00\x02\x03\x04\x05\x06"])
@pytest.mark.parametrize("charset", ["", "utf-8", "cp1251"])
def test_what_is_no_text_is_refused(data: bytes, charset: str) -> None:
    with pytest.raises(InvalidInputError, match="no text"):
        decoded(data, charset)


def test_form_feeds_part_paragraphs() -> None:
    assert [part.text for part in read_text(b"one\ftwo").parts] == ["one", "two"]


@pytest.mark.parametrize(
    ("head", "name", "content_type", "format"),
    [
        (b"%PDF-1.7", "a.html", "text/html", Format.PDF),
        (b"junk\n%PDF-1.7", "a", "", Format.PDF),
        (b"PK\x03\x04", "a.pdf", "application/pdf", Format.EPUB),
        (b"\xef\xbb\xbf<!DOCTYPE HTML>", "a.txt", "text/plain", Format.HTML),
        (b"<?xml version='1.0'?>\n<!-- x -->\n<html>", "a", "", Format.HTML),
        (b"words", "a.htm", "", Format.HTML),
        (b"words", "a", "application/xhtml+xml", Format.HTML),
        (b"words", "README.MD", "", Format.MARKDOWN),
        (b"words", "a", "text/markdown", Format.MARKDOWN),
        (b"words", "a.pdf", "application/pdf", Format.TEXT),
    ],
)
def test_formats(head: bytes, name: str, content_type: str, format: Format) -> None:
    assert format_of(head, name=name, content_type=content_type) is format


@given(st.text(st.one_of(st.characters(), st.characters(min_codepoint=0xFB00, max_codepoint=0xFEFF))))
def test_cleaning_is_stable_and_keeps_letters(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    assert not set(once) & set("\ufb01\ufb02\u00ad\u200b\u00a0\x00")


def test_cleaning_keeps_what_scripts_need() -> None:
    assert clean("می\u200cخواهم 👩\u200d👧 \u200fשלום") == "می\u200cخواهم 👩\u200d👧 \u200fשלום"
    assert clean("\ufefb \ufee3\ufeae\ufea3\ufe92\ufe8e") == "لا مرحبا"
    assert clean("cafe\u0301 e\ufb03cient con\u00ad\nfig") == "café efficient config"
