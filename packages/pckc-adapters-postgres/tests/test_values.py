"""Values as JSON."""

import json
import math
import re

import pytest
from cattrs.preconf.json import make_converter
from hypothesis import given
from hypothesis import strategies as st
from pckc_adapters_postgres.values import dump
from pckc_domain.testing.belief_samples import claim, event, proof, session

TEXTS = st.text(st.characters() | st.sampled_from('\0\ud800\udfff\\"\n\u2028'))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    max_leaves=20,
)


@given(VALUES)
def test_any_value_is_written_as_the_standard_library_does(value: object) -> None:
    """But for lone surrogates; large numbers and odd keys, too."""
    plainly = re.sub("[\ud800-\udfff]", "\ufffd", json.dumps(value, ensure_ascii=False))
    assert json.loads(dump(value)) == json.loads(plainly)


@pytest.mark.parametrize(
    "value", [claim("Use \u00e9 \0."), proof(claim("x")), event(session("s"), 3, "Said."), session("s")]
)
def test_the_model_is_written_as_it_was_before(value: object) -> None:
    """Stores hold what the standard library wrote: the same again is no change."""
    assert dump(value) == json.dumps(make_converter().unstructure(value), ensure_ascii=False, separators=(",", ":"))


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_left_to_the_server_to_refuse(number: float) -> None:
    """Null would be read as none at all."""
    assert dump({"confidence": number}) != dump({"confidence": None})
    assert dump({"confidence": [number]}) != dump({"confidence": [None]})
