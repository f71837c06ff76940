"""What is wrong in a configuration is said by its key, with what is expected."""

from pathlib import Path

import pytest
from pckc_domain.errors import ConfigurationError
from pckc_domain.policy.scoring import PassageWeights
from pckc_mcp.config import load_config
from pckc_mcp.opening import open_engine


@pytest.mark.parametrize(
    ("text", "said", "remedy"),
    [
        ("[search]\nbogus = 1", "unknown key 'bogus'", "allowed keys: weights, embedder_wait_seconds"),
        ("[search]\nembedder_wait_seconds = -1", "embedder_wait_seconds must be >= 0", "0 or more"),
        ("[search]\nembedder_wait_seconds = 'x'", "embedder_wait_seconds: expected a number, got 'x'", "correct"),
        ("[search]\nembedder_wait_seconds = nan", "embedder_wait_seconds: expected a number, got nan", "correct"),
        ("[search]\nweights = 3", "weights: expected a table", "correct"),
        ("[search.weights]\nbogus = 1", "weights: unknown key 'bogus'", "allowed keys: relevance"),
        ("[search.weights]\nbranch_span = -1", "branch_span must be >= 0", "0 or more"),
        ("[search.weights]\nrelevance = 0.9", "must sum to 1, not 1.4", ""),
        ("[source]\nmax_file_bytes = 0", "max_file_bytes must be >= 1", "1 or more"),
        ("[source]\nmax_file_bytes = 'x'", "max_file_bytes: expected a whole number, got 'x'", "correct"),
        ("[source]\nignore = 'x'", "ignore: expected a list, got 'x'", "correct"),
        ("[canonical]\nsynchronous = 'maybe'", "expected one of 'normal', 'full', got 'maybe'", "correct"),
        ("[canonical]\nbackend = 'postgres'\n", "url: is required", "set url"),
        ("canonical = 5", "[canonical] must be a table", 'write [canonical], and below it such as backend = "sqlite"'),
        ("[retention]\nprotected = ['decisions']", "'decisions' is no type", "decision"),
        ("[embedder]\nbackend = 'blendd'", "no embedder backend named 'blendd' is installed", "blend"),
        ("[vector]\nbackend = 'none'", "no vector backend named 'none' is installed", "sqlite"),
    ],
)
def test_a_wrong_value_is_told_by_its_key(tmp_path: Path, text: str, said: str, remedy: str) -> None:
    (tmp_path / "pckc.toml").write_text(text, encoding="utf-8")
    with (
        pytest.raises(ConfigurationError) as caught,
        open_engine(tmp_path, with_semantic=False),
    ):
        pass
    assert said in caught.value.message
    assert remedy in caught.value.remedy
    assert "allowed keys" not in caught.value.message
    assert "$" not in caught.value.message


def test_weights_that_sum_to_one_are_taken(tmp_path: Path) -> None:
    text = "[search.weights]\nrelevance = 0.6\nlayer_preference = 0.1\n"
    (tmp_path / "pckc.toml").write_text(text, encoding="utf-8")
    assert load_config(tmp_path, {}).search.weights == PassageWeights(relevance=0.6, layer_preference=0.1)
