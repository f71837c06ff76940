"""All spellings of a remote's address are one name, without credentials."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pckc_adapters_sources.repository.remote_url import local_path, normalize_url


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/Org/Tool",
        "https://github.com/Org/Tool.git",
        "https://github.com/Org/Tool.git/",
        "https://GitHub.COM//Org/Tool/",
        "https://me@github.com/Org/Tool.git",
        "https://me:t0ken@github.com:443/Org/Tool.git",
        "https://me:p@ss@github.com/Org/Tool.git",
        "https://github.com/Org/Tool.git?access_token=t0ken#t0ken",
        "http://github.com:80/Org/Tool",
        "git://github.com:9418/Org/Tool.git",
        "ssh://git@github.com/Org/Tool.git",
        "ssh://git@github.com:22/Org/Tool.git",
        "SSH://git@github.com/Org/Tool.git",
        "git+ssh://git@github.com/Org/Tool.git",
        "git@github.com:Org/Tool.git",
        "git@github.com:/Org/Tool.git",
        "github.com:Org/Tool",
        "  https://github.com/Org/Tool\n",
    ],
)
def test_spellings_of_one_address(url: str) -> None:
    assert normalize_url(url) == "github.com/Org/Tool"
    assert local_path(url) is None


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://git.example.org:8443/a/b", "git.example.org:8443/a/b"),
        ("ssh://git@git.example.org:443/a/b", "git.example.org:443/a/b"),
        ("https://example.org/a%20b/c", "example.org/a b/c"),
        ("ssh://me@example.org/~me/tool.git", "example.org/~me/tool"),
        ("me@example.org:~me/tool.git", "example.org/~me/tool"),
        ("https://[2001:DB8::1]:8443/a.git", "[2001:db8::1]:8443/a"),
        ("git@[2001:db8::1]:a.git", "[2001:db8::1]/a"),
        ("https://example.org", "example.org"),
        ("https://example.org/a/tool.GIT", "example.org/a/tool.GIT"),
    ],
)
def test_what_tells_places_apart_stays(url: str, name: str) -> None:
    assert normalize_url(url) == name


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("/srv/git/tool.git", "/srv/git/tool.git"),
        ("../tool", "../tool"),
        ("./a:b", "./a:b"),
        ("file:///srv/my%20tool", "/srv/my tool"),
        ("C:\\git\\tool", "C:\\git\\tool"),
        ("", ""),
    ],
)
def test_folders_are_no_addresses(url: str, path: str) -> None:
    assert normalize_url(url) is None
    assert local_path(url) == path


NAMES = st.text("abcdefghijklmnopqrstuvwxyz0123456789-_", min_size=1)
HOSTS = st.lists(st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=2), min_size=2, max_size=3).map(".".join)
SECRETS = st.text(st.characters(codec="ascii", categories=["Lu"]), min_size=8)


@given(HOSTS, st.lists(NAMES, min_size=1, max_size=4), NAMES, SECRETS)
def test_every_form_has_one_name_and_no_secret(host: str, parts: list[str], user: str, secret: str) -> None:
    path = "/".join(parts)
    forms = [
        f"https://{host}/{path}",
        f"https://{user}:{secret}@{host.upper()}/{path}.git",
        f"https://{secret}@{host}:443/{path}/",
        f"ssh://{user}@{host}/{path}.git",
        f"{user}@{host}:{path}.git",
        f"https://{host}/{path}.git?token={secret}",
    ]
    assert {normalize_url(form) for form in forms} == {f"{host}/{path}"}


@given(st.text())
def test_any_text_has_a_name_or_a_path(url: str) -> None:
    name = normalize_url(url)
    assert (name is None) != (local_path(url) is None)


@given(HOSTS, st.lists(NAMES, min_size=1, max_size=4))
def test_a_name_is_its_own_name(host: str, parts: list[str]) -> None:
    name = normalize_url(f"https://{host}/{'/'.join(parts)}")
    assert normalize_url(f"https://{name}") == name
