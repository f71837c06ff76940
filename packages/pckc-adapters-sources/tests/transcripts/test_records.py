"""Records out of a stream: glued, cut, damaged, long."""

import json
from io import BufferedReader, BytesIO
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pckc_adapters_sources.transcripts.records import NOT_JSON, TOO_LONG, Record, document, records

texts = st.text(max_size=12)
values = st.dictionaries(texts, st.one_of(texts, st.integers(), st.lists(texts, max_size=3)), max_size=3)
ends = st.sampled_from(["\n", "\r\n", "\n\n", "", " ", "\n \t\n", "\0\0\n"])


def found(data: bytes, start: int = 0, **options: Any) -> list[Record]:
    stream: BufferedReader = BufferedReader(BytesIO(data))
    stream.seek(start)
    return list(records(stream, start=start, **options))


def objects(read: list[Record]) -> list[Any]:
    return [record.value for record in read]


@st.composite
def files(draw: st.DrawFn) -> tuple[list[Any], bytes]:
    written = draw(st.lists(values, max_size=8))
    is_ascii = draw(st.booleans())
    return written, b"".join(
        (json.dumps(value, ensure_ascii=is_ascii) + draw(ends)).encode("utf-8", "surrogatepass") for value in written
    )


@given(files())
def test_every_object_is_found_however_they_are_separated(file: tuple[list[Any], bytes]) -> None:
    written, data = file
    assert objects(found(data)) == written


@given(files(), st.data())
@settings(max_examples=150)
def test_a_file_read_in_pieces_gives_the_same_records(file: tuple[list[Any], bytes], data: st.DataObject) -> None:
    written, whole = file
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=4)))
    position, pieces = 0, []
    for cut in [*cuts, len(whole)]:
        step = found(whole[:cut], position)
        pieces += step
        position = step[-1].end if step else position
    assert objects(pieces) == written
    assert [piece.end for piece in pieces] == [record.end for record in found(whole)]


@given(st.binary(max_size=200), st.integers(0, 200))
def test_any_bytes_are_read_in_pieces_as_in_one_go(noise: bytes, cut: int) -> None:
    data = noise + b'\n{"a": 1}\n'
    first = found(data[:cut])
    second = found(data, first[-1].end if first else 0)
    assert first + second == found(data)
    assert objects(found(data))[-1] == {"a": 1}


def test_a_cut_last_line_waits_for_its_rest() -> None:
    assert found(b'{"a": 1}\n{"b": "\xd0') == [Record({"a": 1}, 8)]


def test_a_last_line_that_is_no_object_yet_waits() -> None:
    assert found(b"12") == []
    assert found(b"12\n") == [Record(None, 3, NOT_JSON)]


def test_a_complete_last_line_needs_no_line_end() -> None:
    assert objects(found(b'{"a": 1}\n{"b": 2}')) == [{"a": 1}, {"b": 2}]


def test_glued_records_end_where_they_end_in_bytes() -> None:
    data = '{"a": "ж"}{"b": "日本"}{"c'.encode()
    assert [(record.value, data[: record.end][-1:]) for record in found(data)] == [
        ({"a": "ж"}, b"}"),
        ({"b": "日本"}, b"}"),
    ]
    assert found(data)[0].end == len('{"a": "ж"}'.encode())


def test_what_follows_a_record_on_its_line_is_counted() -> None:
    assert [record.problem for record in found(b'{"a": 1} oops\n{"b": 2}\n')] == ["", NOT_JSON, ""]


def test_invalid_utf8_is_replaced_and_the_string_still_ends() -> None:
    assert objects(found(b'{"a": "x\xe2"}\n')) == [{"a": "x\N{REPLACEMENT CHARACTER}"}]


def test_control_characters_in_strings_are_kept() -> None:
    assert objects(found(b'{"a": "x\x01\ty"}\n')) == [{"a": "x\x01\ty"}]


def test_nesting_too_deep_to_parse_is_counted() -> None:
    deep = b'{"a":' * 100_000 + b"1" + b"}" * 100_000
    assert [record.problem for record in found(deep + b'\n{"b": 2}\n')] == [NOT_JSON, ""]


def test_a_number_too_long_to_parse_is_counted() -> None:
    assert [record.problem for record in found(b'{"a": ' + b"9" * 10_000 + b'}\n{"b": 2}\n')] == [NOT_JSON, ""]


def test_a_line_over_the_limit_is_counted_and_passed_over() -> None:
    data = b'{"a": "' + b"x" * 3_000_000 + b'"}\n{"b": 2}\n'
    assert [(record.value, record.problem) for record in found(data, max_bytes=1_000)] == [
        (None, TOO_LONG),
        ({"b": 2}, ""),
    ]


def test_a_line_over_the_limit_waits_for_its_end() -> None:
    data = b'{"b": 2}\n{"a": "' + b"x" * 3_000
    assert objects(found(data, max_bytes=1_000)) == [{"b": 2}]


def test_a_line_of_many_megabytes_is_read() -> None:
    (record,) = found(json.dumps({"a": "x" * 20_000_000}).encode() + b"\n")
    assert record.value is not None
    assert len(record.value["a"]) == 20_000_000


def test_a_document_over_many_lines_is_one_record() -> None:
    data = json.dumps({"messages": [{"id": "a"}]}, indent=2).encode()
    assert list(document(b"\xef\xbb\xbf" + data)) == [Record({"messages": [{"id": "a"}]}, len(data) + 3)]
    assert objects(list(document(b'{"a": 1}\n{"b": 2}\n'))) == [{"a": 1}, {"b": 2}]
