"""Settings of TOML, INI, YAML, JSON, ``.env`` and Docker files, line by line: parsers would lose the lines."""

# patterns read best on one line

import re
from collections.abc import Callable, Iterator

from pckc_domain.model.fact import StatedFact
from pckc_domain.policy.facts.literals import literal, plain
from pckc_domain.policy.facts.naming import named, versioned
from pckc_domain.policy.subjects import normalize_value

_SECTION = re.compile(r"\s*\[\s*(?P<name>[^\]\[]+?)\s*\]\s*(?:[#;].*)?$")
_TABLES = re.compile(r"\s*\[\[")
_TOML_SETTING = re.compile(r"\s*(?P<name>[\w.\"'-]{2,80}?)\s*=\s*(?P<value>\S.*)$")
_INI_SETTING = re.compile(r"(?P<name>[A-Za-z][\w.-]{1,80})\s*[=:]\s*(?P<value>\S.*)$")
_ENV_SETTING = re.compile(r"(?:export\s+)?(?P<name>[A-Z][A-Z0-9_]{1,60})=(?P<value>\S.*)$")
_YAML_SETTING = re.compile(r"(?P<indent> *)(?P<name>[A-Za-z_][\w./-]*|\"[^\"]+\"|'[^']+')\s*:(?:\s+(?P<value>\S.*))?$")
_YAML_BLOCK = re.compile(r"[|>][-+\d]*(?:\s+#.*)?$")
_YAML_ITEM = re.compile(r"(?P<indent> *)-(?: |$)")
_JSON_SETTING = re.compile(r"\s*\"(?P<name>[^\"\\]{1,80})\"\s*:\s*(?P<value>.*)$")
_FROM = re.compile(r"FROM\s+(?:--\S+\s+)?(?P<image>[\w./-]+):(?P<tag>[\w.-]+)", re.IGNORECASE)
_EXPOSE = re.compile(r"EXPOSE\s+(?P<port>\d{2,5})(?:/tcp)?\s*$", re.IGNORECASE)
_ENV = re.compile(r"(?:ENV|ARG)\s+(?P<name>[A-Za-z_]\w{1,60})(?:=|\s+)(?P<value>\S.*)$", re.IGNORECASE)
_PORTS = re.compile(r"\s*-\s*[\"']?(?:[\d.]+:)?(?P<port>\d{2,5}):\d{2,5}(?:/tcp)?[\"']?\s*(?:#.*)?$")
_NUMBERED = re.compile(r"[-+]?\d")
_BARE = re.compile(r"[^\s#\"'{\[&*!|>%@`][^#]*?(?=\s+#|\s*$)")


def toml_settings(text: str) -> Iterator[StatedFact]:
    """Yield the settings of a TOML file that stand in a table of their own name."""
    section, depth, quoted, is_list = "", 0, "", False
    for number, line in enumerate(text.split("\n"), 1):
        if quoted:
            quoted = "" if quoted in line else quoted
            continue
        if depth > 0:
            depth += _opened(line)
            continue
        if _TABLES.match(line):
            is_list = True
            continue
        if header := _SECTION.match(line):
            section, is_list = header["name"].replace('"', ""), False
            continue
        match = _TOML_SETTING.match(line)
        if match is None or line.lstrip().startswith("#"):
            continue
        value = match["value"]
        quoted = next((mark for mark in ('"""', "'''") if value.count(mark) == 1), "")
        depth = _opened(value) if value[0] in "[{" else 0
        if not is_list and not quoted and (found := literal(value, match["name"])):
            yield from _setting(match["name"].strip("\"'"), found, line, number, section)


def ini_settings(text: str) -> Iterator[StatedFact]:
    """Yield the settings of an INI, CFG or properties file; indented lines go on with the one before."""
    section = ""
    for number, line in enumerate(text.split("\n"), 1):
        if header := _SECTION.match(line):
            section = header["name"]
        elif (
            not line.startswith(("#", ";", "!"))
            and (match := _INI_SETTING.match(line))
            and (found := _bare(match["value"], match["name"]))
        ):
            yield from _setting(match["name"], found, line, number, section)


def env_settings(text: str) -> Iterator[StatedFact]:
    """Yield the settings of a file like ``.env``."""
    for number, line in enumerate(text.split("\n"), 1):
        if (match := _ENV_SETTING.match(line)) and (found := _bare(match["value"], match["name"])):
            yield from _setting(match["name"], found, line, number)


def yaml_settings(text: str) -> Iterator[StatedFact]:
    """Yield the scalars of a YAML file's mappings by their full key; items of lists have no name of their own."""
    stack: list[tuple[int, str]] = []
    skipped = -1
    for number, line in enumerate(text.split("\n"), 1):
        indent = len(line) - len(line.lstrip(" "))
        if not line.strip() or line.lstrip().startswith("#") or (skipped >= 0 and indent > skipped):
            continue
        skipped = -1
        if line.startswith("---"):
            stack = []
        elif ports := _PORTS.match(line) if stack and stack[-1][1] == "ports" else None:
            yield from _port(stack, ports["port"], line, number)
        elif item := _YAML_ITEM.match(line):
            skipped = len(item["indent"])
        elif match := _YAML_SETTING.match(line):
            while stack and stack[-1][0] >= indent:
                stack.pop()
            name, value = match["name"].strip("\"'"), match["value"] or ""
            if not value or value.startswith("#"):
                stack.append((indent, name))
            elif _YAML_BLOCK.match(value):
                skipped = indent
            elif name == "image":
                yield from _image(value.strip("\"'"), line, number)
            elif found := _bare(value, name):
                yield from _setting(name, found, line, number, ".".join(key for _, key in stack))


def json_settings(text: str) -> Iterator[StatedFact]:
    """Yield the scalars of a JSON file that has one setting on a line, by their full key."""
    stack: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        match = _JSON_SETTING.match(line)
        value = match["value"].strip() if match else line.strip()
        if match and value[:1] in "{[" and _opened(value) > 0:
            stack.append(match["name"] if value[0] == "{" else "")
        elif match and "" not in stack[1:] and (found := literal(value.rstrip(","))):
            yield from _setting(match["name"], found, line, number, ".".join(filter(None, stack)))
        elif not match and value[:1] in ("{", "[") and _opened(value) > 0:
            stack.append("")
        elif value[:1] in ("}", "]") and stack:
            stack.pop()


def docker_settings(text: str) -> Iterator[StatedFact]:
    """Yield a Dockerfile's base images, ports and variables."""
    for number, line in enumerate(text.split("\n"), 1):
        if match := _FROM.match(line):
            yield from _image(f"{match['image']}:{match['tag']}", line, number)
        elif match := _EXPOSE.match(line):
            yield from _setting("port", match["port"], line, number, "container")
        elif (match := _ENV.match(line)) and (found := _bare(match["value"], match["name"])):
            yield from _setting(match["name"], found, line, number)


READERS: dict[str, Callable[[str], Iterator[StatedFact]]] = {
    "toml": toml_settings,
    "ini": ini_settings,
    "yaml": yaml_settings,
    "json": json_settings,
    "dockerfile": docker_settings,
}


def _setting(name: str, value: str, line: str, number: int, section: str = "") -> Iterator[StatedFact]:
    text = f"[{section}] {line.strip()}" if section else line.strip()
    if fact := named(name, value, text=text, line=number, excerpt=line, section=section):
        yield fact


def _image(image: str, line: str, number: int) -> Iterator[StatedFact]:
    name, _, tag = image.rpartition(":")
    version = re.match(r"v?\d[\d.]*(?<!\.)", tag)
    if version and (
        fact := versioned(name.rsplit("/", 1)[-1], version[0], text=line.strip(), line=number, excerpt=line)
    ):
        yield fact


def _port(stack: list[tuple[int, str]], port: str, line: str, number: int) -> Iterator[StatedFact]:
    service = stack[-2][1] if len(stack) > 1 else "service"
    yield from _setting("port", port, line, number, service)


def _bare(value: str, name: str) -> str:
    """Return the literal, or the plain words without quotes that such files allow."""
    if found := literal(value, name):
        return found
    match = _BARE.match(value)
    if match is None or len(match[0]) > 80:
        return ""
    bare = match[0].strip()
    return plain(bare) if not _NUMBERED.match(bare) or " " not in bare else normalize_value(bare)


def _opened(text: str) -> int:
    """Return how many brackets *text* leaves open, strings not counted."""
    bare = re.sub(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'|#.*$", "", text)
    return sum(map(bare.count, "[{")) - sum(map(bare.count, "]}"))
