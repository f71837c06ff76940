"""Bytes become text, or are known for binary."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_adapters_sources.repository.decoding import Decoded, decode

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\ufeff"))
MARKED = [
    ("utf-8-sig", codecs.BOM_UTF8, "utf-8"),
    ("utf-16", codecs.BOM_UTF16_LE, "utf-16-le"),
    ("utf-16", codecs.BOM_UTF16_BE, "utf-16-be"),
    ("utf-32", codecs.BOM_UTF32_LE, "utf-32-le"),
    ("utf-32", codecs.BOM_UTF32_BE, "utf-32-be"),
]

RUSSIAN = "Сервер упал ночью из-за переполнения диска, и никто этого не заметил до самого утра.\n" * 5


@given(TEXTS)
def test_utf8_round_trip(text: str) -> None:
    assert decode(text.encode()) == Decoded(text=text, encoding="utf-8")


@pytest.mark.parametrize(("encoding", "mark", "codec"), MARKED)
@given(text=TEXTS)
def test_marked_round_trip(encoding: str, mark: bytes, codec: str, text: str) -> None:
    assert decode(mark + text.encode(codec)) == Decoded(text=text, encoding=encoding)


@given(st.lists(TEXTS.filter(lambda text: "\n" not in text)), st.sampled_from(["\n", "\r\n", "\r"]))
def test_all_line_ends_are_one(lines: list[str], end: str) -> None:
    decoded = decode("".join(line + end for line in lines).encode())
    assert decoded is not None
    assert decoded.text == "".join(line + "\n" for line in lines)


@given(st.binary(max_size=300))
def test_any_bytes_are_text_or_not(data: bytes) -> None:
    decoded = decode(data)
    assert decoded is None or ("\0" not in decoded.text and "\r" not in decoded.text)


@given(TEXTS, TEXTS)
def test_nul_is_binary(before: str, after: str) -> None:
    assert decode(f"{before}\0{after}".encode()) is None


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-32-be"])
def test_nul_behind_a_mark_is_binary(codec: str) -> None:
    mark = codecs.BOM_UTF16_LE if codec == "utf-16-le" else codecs.BOM_UTF32_BE
    assert decode(mark + "a\0b".encode(codec)) is None


def test_half_a_utf16_character_is_binary() -> None:
    assert decode(codecs.BOM_UTF16_LE + b"a") is None


@pytest.mark.parametrize(
    ("codec", "text"),
    [
        ("cp1251", RUSSIAN),
        ("koi8-r", RUSSIAN),
        ("cp866", RUSSIAN),
        ("cp1252", "int main() { return 0; }\n" * 20 + "// café\n"),
        ("cp1252", "# Größe der Straße, gemäß Übereinkunft\nlänge = 1\n"),
        ("cp1252", "/* Copyright © 1999 José Müller – “as is” */\n"),
        ("cp1250", "# Zażółć gęślą jaźń, wszystkie żółwie są zmęczone\n"),
        ("shift_jis", "# サーバーは夜に落ちました。ログがいっぱいでした。\nx = 1\n"),
        ("euc_jp", "# サーバーは夜に落ちました。ログがいっぱいでした。\nx = 1\n"),
        ("gb18030", "# 服务器在夜里崩溃了，因为日志写满了磁盘。\nx = 1\n"),
        ("euc_kr", "# 서버가 밤에 다운되었습니다. 로그가 가득 찼습니다.\nx = 1\n"),
    ],
)
def test_encodings_before_unicode(codec: str, text: str) -> None:
    assert decode(text.encode(codec)) == Decoded(text=text, encoding=codec)


def test_what_gives_the_encoding_away_may_come_late() -> None:
    text = "plain = 1\n" * 30_000 + RUSSIAN
    decoded = decode(text.encode("cp1251"))
    assert decoded is not None
    assert decoded.text == text


def test_a_few_bad_bytes_leave_utf8_what_it_is() -> None:
    decoded = decode(RUSSIAN.encode() + b"\xff\n")
    assert decoded == Decoded(text=f"{RUSSIAN}\ufffd\n", encoding="utf-8")
