"""Redaction: every kind is found wherever it stands, and ordinary text stays as it is."""

import base64
import json
import random
import re
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_domain.policy.redaction import redact, tells_secret

_CASES = json.loads((Path(__file__).parent / "data" / "redaction_cases.json").read_text(encoding="utf-8"))
_ALPHABETS = {
    "A": string.ascii_letters + string.digits,
    "B": string.ascii_uppercase + "234567",
    "D": string.digits,
    "H": "0123456789abcdef",
    "L": string.ascii_lowercase + string.digits,
    "P": string.ascii_letters + string.digits + "!^*+~",
    "U": string.ascii_uppercase + string.digits,
    "X": "0123456789ABCDEF",
}
_HOLE = re.compile(r"\{([A-Z])(\d+)\}")
_CONTEXTS = [(kind, template) for kind, templates in _CASES["contexts"].items() for template in templates]


def _filled(template: str, seed: int) -> tuple[str, str]:
    """Return a made-up secret of the shape *template*, and its longest random part."""
    source = random.Random(seed)  # noqa: S311 - the values only have to look random
    parts: list[str] = []

    def fill(hole: re.Match[str]) -> str:
        alphabet, size = _ALPHABETS[hole[1]], int(hole[2])
        # A digit and two letters make any seed a plausible secret.
        part = "".join(source.choices(alphabet, k=size))
        if size >= 8:
            part = part[:2] + "".join(c for c in "7KqdF3" if c in alphabet)[:4] + part[2:]
            part = part[:size]
        parts.append(part)
        return part

    text = _HOLE.sub(fill, template).replace("{{", "{").replace("}}", "}")
    return text, max(parts, key=len)


@pytest.mark.parametrize(("kind", "template"), _CASES["keys"].items())
@pytest.mark.parametrize(
    "around", ["{}", "key {} here", '{{"text": "line\\n{}\\n"}}', "漢字{}。", "ключ={},", "(`{}`)"]
)
def test_a_key_is_found_by_its_shape(kind: str, template: str, around: str) -> None:
    secret, part = _filled(template, seed=7)

    redaction = redact(around.format(secret))

    assert part not in redaction.text
    assert f"[REDACTED:{kind}]" in redaction.text
    assert [finding.kind for finding in redaction.findings] == [kind]


@pytest.mark.parametrize(("kind", "template"), _CONTEXTS)
@pytest.mark.parametrize("seed", range(5))
def test_a_secret_is_found_by_its_surroundings(kind: str, template: str, seed: int) -> None:
    text, part = _filled(template, seed)

    redaction = redact(text)

    assert part not in redaction.text
    assert [finding.kind for finding in redaction.findings] == [kind]
    assert redaction.text.count("\n") == text.count("\n")


@pytest.mark.parametrize("number", _CASES["cards"])
@pytest.mark.parametrize(
    "around", ["{}", "Card {}, exp 12/29", '{{"number": "{}"}}', "оплата с {}.", "|{}|", "漢 {}\n"]
)
def test_a_card_number_is_found(number: str, around: str) -> None:
    assert redact(around.format(number)).text == around.format("[REDACTED:payment-card]")


def test_a_card_of_an_unusual_length_needs_a_word_before_it() -> None:
    assert redact("card 4222222222222").text == "card [REDACTED:payment-card]"
    assert redact("item 4222222222222").text == "item 4222222222222"


@pytest.mark.parametrize(("text", "clean"), _CASES["whole"])
def test_a_secret_goes_as_a_whole_and_alone(text: str, clean: str) -> None:
    """`*` is where the secret was: nothing of it stays, and nothing else goes."""
    assert re.sub(r"\[REDACTED:[a-z-]+\]", "*", redact(text).text) == clean


@pytest.mark.parametrize("text", _CASES["clean"])
def test_ordinary_text_stays(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("API_KEY = [REDACTED:token]", True),
        ("The password for staging is `[REDACTED:password]`.", True),
        ("password: [REDACTED:password]", True),
        ("[REDACTED:token]", True),
        ("пароль — [REDACTED:password]", True),
        ("Log in to staging with [REDACTED:password] and press Enter.", False),
        ("Rotate [REDACTED:token] every month.", False),
        ("The port is 8000.", False),
    ],
)
def test_what_tells_a_secret_is_told_apart(text: str, is_told: bool) -> None:
    assert tells_secret(text) is is_told


def test_a_placeholder_or_secret_on_the_same_line_hides_nothing() -> None:
    password, first = _filled("password={P12}", 1)
    token, second = _filled("ghp_{A36}", 2)

    redaction = redact(f"password=changeme token=<token> {password} {token} AKIAIOSFODNN7EXAMPLE")

    assert redaction.text == (
        "password=changeme token=<token> password=[REDACTED:password] [REDACTED:github-token] AKIAIOSFODNN7EXAMPLE"
    )
    assert first not in redaction.text
    assert second not in redaction.text


def test_a_finding_names_kind_line_and_length_only() -> None:
    secret, _ = _filled("ghp_{A36}", 3)

    (finding,) = redact(f"one\r\ntwo\n  {secret}\n").findings

    assert (finding.kind, finding.line, finding.length) == ("github-token", 3, len(secret))
    assert secret not in repr(finding)


def test_a_private_key_leaves_its_line_breaks() -> None:
    key, _ = _filled("-----BEGIN PRIVATE KEY-----\r\n{A64}\r\n{A64}\r\n-----END PRIVATE KEY-----", 4)

    assert redact(f"a\r\n{key}\r\nb").text == "a\r\n[REDACTED:private-key]\r\n\r\n\r\n\r\nb"


@pytest.mark.parametrize("before", ["", "x", "xy"])
@pytest.mark.parametrize("label", ["", "RSA ", "OPENSSH "])
def test_the_base64_of_a_private_key_goes_as_a_whole(before: str, label: str) -> None:
    """Wherever the key begins in what is encoded, and also on lines of 76 characters."""
    key, _ = _filled(f"-----BEGIN {label}PRIVATE KEY-----\n{{A64}}\n{{A64}}\n-----END {label}PRIVATE KEY-----\n", 4)
    encoded = base64.encodebytes(f"{before}{key}".encode()).decode()

    assert redact(f"a: {encoded.replace(chr(10), '')}\nuser").text == "a: [REDACTED:private-key]\nuser"
    assert re.fullmatch(r"a: \[REDACTED:private-key\]\s+user: b", redact(f"a: {encoded}user: b").text)


def test_the_base64_of_a_certificate_stays() -> None:
    encoded = base64.b64encode(b"-----BEGIN CERTIFICATE-----\nMIIC5zCCAc+gAwIBAgIBADANBgkqhkiG9w0BAQsF").decode()

    assert redact(f"certificate: {encoded}").text == f"certificate: {encoded}"


@pytest.mark.parametrize(
    ("name", "value"), [("pass\u200bword", "h7Gk29dLq0"), ("ｐａｓｓｗｏｒｄ", "h7Gk\u200b29dLq0")]
)
def test_a_disguised_secret_goes_alone(name: str, value: str) -> None:
    """What stands around it is kept as it is written."""
    assert redact(f"\ufeffa\u200bb {name}\uff1a {value}\u200b， c\u00ad").text == (
        f"\ufeffa\u200bb {name}\uff1a [REDACTED:password]\u200b， c\u00ad"
    )


def test_a_key_takes_the_characters_that_touch_it() -> None:
    secret, _ = _filled("ghp_{A36}", 5)

    assert redact(f"x {'Q' * 600}{secret}{'_tail' * 400} y").text == "x [REDACTED:github-token] y"


def test_a_long_value_goes_as_a_whole() -> None:
    value, _ = _filled("{A2000}", 6)

    assert redact(f'secret = "{value}"').text == 'secret = "[REDACTED:secret]"'


@pytest.mark.parametrize(
    "unit",
    [
        *("a", "token=", 'token":"', "ghp_", "eyJ", "eyJabcdefgh.", "://a:b", "-----BEGIN PRIVATE KEY-----", "\\", "İ"),
        *(
            "password for ",
            "password='a b ",
            "password=a1b2(c3",
            "пароль от ",
            "|a1b2c3",
            "|a1b2c3|\n",
            "curl -u a:b1c2 ",
            "sshpass -p ",
            "echo ",
            "4111 ",
            "4",
            "password:\n",
            "password { default",
            "use a1b2c3 as the ",
            "a1b2c3 is my pass",
            "login: a1b2c3 / ",
            "oracle a/b1c2d3@h",
            "machine h login a ",
            "passphrase: a b ",
            "pin code for a ",
            "UFJJVkFURSBLRVktLS0tLQpNSUlFcEFJQkFBS0NBUUVBdTFTVTFMZlZ",
            "sudo -S <<< ",
            "\u200bpass",
            "\x1b[0m",
        ),
    ],
)
def test_hostile_repetition_ends(unit: str) -> None:
    redact(unit * (200_000 // len(unit)))


_TEXT = st.text(max_size=60) | st.text(alphabet=st.characters(categories=["Cs", "Cc", "Nd", "Po"]), max_size=60)
_PIECES = st.lists(
    _TEXT
    | st.sampled_from(
        [
            "password=",
            "token: ",
            '"',
            "'",
            " a-b ",
            "\n",
            "\\n",
            "[REDACTED:",
            "[REDACTED:token]",
            "://u:",
            "@h",
            "Cookie: a=",
            "|",
            " -p ",
        ]
        + _CASES["cards"]
    )
    | st.builds(
        lambda t, n: _filled(t, n)[0],
        st.sampled_from([*_CASES["keys"].values(), *(t for _, t in _CONTEXTS)]),
        st.integers(0, 99),
    ),
    max_size=8,
).map("".join)


@given(_PIECES)
def test_redaction_is_idempotent_and_keeps_lines(text: str) -> None:
    redaction = redact(text)

    again = redact(redaction.text)

    assert again.text == redaction.text
    assert again.findings == ()
    assert len(f"{redaction.text}.".splitlines()) == len(f"{text}.".splitlines())
    assert re.findall(r"\r\n?|\n", redaction.text) == re.findall(r"\r\n?|\n", text)
    assert len(redaction.findings) == 0 or redaction.text != text


@given(_TEXT, st.sampled_from(list(_CASES["keys"].values())), st.integers(0, 999), _TEXT)
def test_no_key_survives_between_other_text(before: str, template: str, seed: int, after: str) -> None:
    secret, _ = _filled(template, seed)

    assert secret not in redact(f"{before} {secret}\n{after}").text


@given(_TEXT, st.sampled_from([t for _, t in _CONTEXTS]), st.integers(0, 4), _TEXT)
def test_no_assigned_secret_survives_between_other_text(before: str, template: str, seed: int, after: str) -> None:
    secret, part = _filled(template, seed)

    assert part not in redact(f"{before}\n{secret}\n{after}").text
