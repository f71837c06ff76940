"""
The kinds of secrets that are recognised by what stands around them, as data.

Their patterns read lower-cased text. Earlier rows win where spans overlap.
"""

import re

from pckc_domain.policy.secrets.apart import APART
from pckc_domain.policy.secrets.assignments import (
    CLOSE,
    KEY_NAME,
    PASSWORD_VALUE,
    RUSSIAN_SEPARATOR,
    SEPARATOR,
    VALUE,
    assigned,
)
from pckc_domain.policy.secrets.commands import COMMANDS
from pckc_domain.policy.secrets.kinds import Candidate, Kind
from pckc_domain.policy.secrets.values import (
    SIGNS,
    has_random,
    is_hyphenated,
    is_passphrase,
    is_password,
    is_random,
    is_scrambled,
    is_term,
    is_unusual,
    is_uuid,
    is_wordy,
)

_TYPE_NAME = re.compile(r"(?:Key|Token|Secret|Password|Credentials?|Auth|_key|_token|_secret|_password):?$")
_DOTTED_NAME = re.compile(r"[A-Za-z_]+\d{0,3}[A-Za-z_]*(?:\.[A-Za-z_]+\d{0,3}[A-Za-z_]*)++:?$")
_CALLED = re.compile(r"(\w[\w.:]*)[(\[{]")
_IS_END = re.compile(r"(?<!\w)(?:is|was|now|currently|still):?[ \t]+(?=\S+$)")
_MARK = re.compile(
    r"(?:next|page|start(?:ing)?|continuation|lock|change|idempotency|request|cursor|forward|backward|resume|sync"
    r"|action|publickey|csrf)[_-]?token"
)
_LOGIN = re.compile(r"(?:auth|access|api|refresh|bearer|secret|bot|personal|deploy|private)")


def _follows_name(candidate: Candidate) -> bool:
    """Accept a blank between name and value only after a command-line flag or the words *token is*."""
    if candidate.match["separator"].strip():
        return True
    before = candidate.span[0] - candidate.match.start("separator")
    return re.search(r"(?<!\w)--?[\w-]*$", candidate.name[:-before]) is not None


def _is_told(candidate: Candidate) -> bool:
    """Accept a bare value in a sentence only if it is neither a term nor, after *to*, a word with a number."""
    link = re.search(r"(\w+):?[ \t]+$", candidate.match["separator"])
    if link is None:
        return True
    if link[1] == "to" and candidate.match[0].startswith("pass "):
        return False  # what to pass to a function
    if candidate.quoted:
        return candidate.secret.count(" ") != 1 or any(map(str.isdigit, candidate.secret))  # "too short"
    return not is_term(candidate.secret) and (
        link[1] != "to" or _is_strong(candidate.secret) or is_hyphenated(candidate.secret)
    )


def _is_strong(secret: str) -> bool:
    return not is_wordy(secret) or any(c in SIGNS for c in secret)


def _is_list(candidate: Candidate) -> bool:
    """Return whether name and value are neighbours in a call or a list, which says little of them."""
    return candidate.match["separator"].strip() in ("(", ",")


def _is_flag(candidate: Candidate) -> bool:
    return candidate.name.startswith("-")


def _is_call(candidate: Candidate) -> bool:
    """Return whether a bare value is code: a name that is called or indexed."""
    if candidate.quoted:
        return False
    secret, end = candidate.secret, candidate.span[1]
    following = candidate.text[end : end + 1]
    opened = _CALLED.match(secret)
    if opened is None:
        return following != "" and following in "([{"
    is_open = sum(map(secret.count, "([{")) > sum(map(secret.count, ")]}"))
    return is_wordy(opened[1]) or (is_open and following != "" and following in "([{)]},;\"'")


def _is_variable(candidate: Candidate) -> bool:
    """Return whether the name is written as those of the environment are, and `=` follows it without a blank."""
    start = candidate.match.start()
    return candidate.match["separator"] == "=" and candidate.text[start : start + 3].isupper()


def _is_assigned_password(candidate: Candidate) -> bool:
    """Accept what a password looks like where it stands: in quotes, in code, in the environment, in a sentence."""
    secret = candidate.secret
    if is_password(secret, quoted=candidate.quoted):
        return True
    if _is_list(candidate):
        return False
    told = not candidate.quoted and candidate.match["separator"][-1:].isspace() and _IS_END.search(candidate.match[0])
    if is_hyphenated(secret) or is_scrambled(secret):
        return True
    return bool(told or _is_variable(candidate)) and is_unusual(secret)


def _password(candidate: Candidate) -> bool:
    secret = candidate.secret
    if _is_list(candidate):
        named_fully = re.match(r"pass[wpc]|pwd", candidate.match[0])  # should_pass("x1") names no password
        if not named_fully or len(secret) < 8 or ":" in secret or (" " in secret and not _is_flag(candidate)):
            return False
    if " " in secret and re.match(r"(?:pass|pwd)(?!\w)", candidate.name):
        return False  # the verdict of a check, the working directory
    return (
        _follows_name(candidate)
        and _is_assigned_password(candidate)
        and not _is_call(candidate)
        and _is_told(candidate)
    )


def _random(candidate: Candidate) -> bool:
    secret = candidate.secret
    if not candidate.quoted and (_TYPE_NAME.search(secret) or _DOTTED_NAME.match(secret)):
        return False
    if not has_random(secret) or (_is_list(candidate) and not any(c.isdigit() for c in secret)):
        return False
    return _follows_name(candidate) and "aws::" not in candidate.name  # aws::iam::accesskey is a type of resource


def _is_phrase(candidate: Candidate) -> bool:
    """Accept the words in quotes that a variable such as `CLIENT_SECRET` holds, or of which one is like no word."""
    secret = candidate.secret
    if not candidate.quoted or " " not in secret or _is_list(candidate) or not is_passphrase(secret):
        return False
    named = _is_variable(candidate) or re.search(r"[_-]secret", candidate.name) is not None
    return _follows_name(candidate) and (named or any(map(is_unusual, secret.split())))


def _secret(candidate: Candidate) -> bool:
    return _random(candidate) or _is_phrase(candidate)


def _token(candidate: Candidate) -> bool:
    """Accept a token that lets someone in, not one that marks a page or makes a request unique."""
    if not _secret(candidate):
        return False
    name = candidate.name
    return not _MARK.search(name) and (not is_uuid(candidate.secret) or _LOGIN.search(name) is not None)


def _russian_password(candidate: Candidate) -> bool:
    secret = candidate.secret
    chosen = is_hyphenated(secret) or is_scrambled(secret)
    if not (chosen or is_password(secret, quoted=candidate.quoted)) or is_term(secret) or _is_call(candidate):
        return False
    # Between the words of a sentence, a value without a colon has to look like one.
    told = re.search(r"\w[ \t]+$", candidate.match["separator"]) is not None
    return candidate.quoted or chosen or not told or _is_strong(secret)


def _table_cell(candidate: Candidate) -> bool:
    """Accept the cell of a Markdown table below a header that names a secret."""
    secret = candidate.secret
    if not any(c.isdigit() for c in secret) or not is_password(secret, quoted=False):
        return False
    start = candidate.span[0]
    *rows, row = candidate.searched[max(0, start - _TABLE) : start].replace("\\n", "\n").split("\n")
    while len(rows) > 1 and "|" in rows[-1]:
        if _RULE.match(rows.pop()):
            columns = rows[-1].split("|")
            header = columns[min(row.count("|"), len(columns) - 1)]
            return (
                "pass" in header or "парол" in header or (_SECRET_COLUMN.search(header) and is_random(secret)) or False
            )
    return False


def _session(candidate: Candidate) -> bool:
    return _random(candidate) and not is_uuid(candidate.secret)


def _generated(candidate: Candidate) -> bool:
    return has_random(candidate.secret)


def _private_key(candidate: Candidate) -> bool:
    """Accept a block with a body; code and documents often name the markers alone."""
    return re.search(r"[A-Za-z0-9+/=]{40}", candidate.secret) is not None


_TABLE = 4000
"""Characters before a cell in which the header of its table is looked for."""
_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t:|-]*)?\r?$")
_SECRET_COLUMN = re.compile(r"token|secret|api[ _-]?key|токен|секрет")

_COOKIE_ATTRIBUTES = frozenset({"domain", "expires", "max-age", "path", "samesite", "version"})


def _cookie(candidate: Candidate) -> bool:
    pairs = [pair.strip().partition("=") for pair in candidate.secret.split(";")]
    return any(is_random(value) for name, _, value in pairs if name.lower() not in _COOKIE_ATTRIBUTES)


def _pem(label: str = "(?:[a-z0-9]{1,12} ){0,3}") -> str:
    """Return the pattern of a PEM or PGP private key block: to its end line or, cut short, to its last full line."""
    return (
        rf"-----begin {label}private key(?: block)?-----"
        r"(?:(?:[^-]|-(?!----))*+-----end [a-z0-9 ]{0,40}private key(?: block)?-----"
        r"|(?:(?:\\[nr]|[\s\"',+])*+[a-z0-9+/=]{30,}+)*+)"
    )


OWNERS: tuple[tuple[str, str], ...] = (
    ("aws", "aws-secret-access-key"),
    ("secret_access_key", "aws-secret-access-key"),
    ("accountkey", "azure-storage-key"),
    ("account_key", "azure-storage-key"),
    ("sharedaccesskey", "azure-shared-access-key"),
    ("azure", "azure-client-secret"),
    ("alibaba", "alibaba-access-key-secret"),
    ("aliyun", "alibaba-access-key-secret"),
    ("heroku", "heroku-api-key"),
    ("cloudflare", "cloudflare-token"),
    ("vercel", "vercel-token"),
    ("netlify", "netlify-token"),
    ("scaleway", "scaleway-secret-key"),
    ("scw_", "scaleway-secret-key"),
    ("bitbucket", "bitbucket-secret"),
    ("github", "github-secret"),
    ("gitlab", "gitlab-secret"),
    ("discord", "discord-secret"),
    ("slack", "slack-secret"),
    ("mattermost", "mattermost-token"),
    ("mailgun", "mailgun-key"),
    ("asana", "asana-token"),
    ("paypal", "paypal-secret"),
    ("braintree", "paypal-braintree-token"),
    ("adyen", "adyen-key"),
    ("stripe", "stripe-secret"),
    ("openai", "openai-key"),
    ("mistral", "mistral-key"),
    ("cohere", "cohere-key"),
    ("twilio", "twilio-auth-token"),
    ("datadog", "datadog-key"),
    ("dd_", "datadog-key"),
    ("pagerduty", "pagerduty-key"),
    ("new_relic", "new-relic-key"),
    ("algolia", "algolia-key"),
    ("okta", "okta-token"),
    ("auth0", "auth0-secret"),
    ("firebase", "firebase-secret"),
    ("telegram", "telegram-secret"),
)
"""Words in the name of a variable, and the kind its secret then has; earlier rows win."""

SCHEMES: tuple[tuple[str, str], ...] = (
    ("postgres", "postgres-url"),
    ("mysql", "mysql-url"),
    ("mariadb", "mysql-url"),
    ("mongodb", "mongodb-url"),
    ("redis", "redis-url"),
    ("valkey", "redis-url"),
    ("amqp", "amqp-url"),
)
"""The same for the scheme of a URL."""

CONTEXTS: tuple[Kind, ...] = (
    Kind(
        "gcp-service-account-key", rf"private_key\\*\"\s*:\s*\\*\"(?P<secret>{_pem()})", ("private_key",), _private_key
    ),
    Kind("openssh-private-key", _pem("openssh "), ("-----begin",), _private_key),
    Kind("pgp-private-key", _pem("pgp "), ("-----begin",), _private_key),
    Kind("private-key", _pem(), ("-----begin",), _private_key),
    Kind(
        "putty-private-key",
        r"private-lines:[ ]?\d+(?P<secret>(?:(?:\\[rn]|\s)++[a-z0-9+/=]{20,}+)++)",
        ("private-lines:",),
    ),
    Kind(
        "slack-webhook",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[a-z0-9_+/-]{30,})",
        ("hook",),
    ),
    Kind(
        "discord-webhook",
        r"discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d{10,}/(?P<secret>[\w-]{40,})",
        ("hook",),
    ),
    Kind("teams-webhook", r"webhook\.office\.com/webhookb2/(?P<secret>[\w@/-]{60,})", ("hook",)),
    Kind("mattermost-webhook", r"/hooks/(?P<secret>[a-z0-9]{26})(?![a-z0-9])", ("hook",), _generated),
    Kind("sentry-dsn", r"://(?P<secret>[0-9a-f]{32}(?::[0-9a-f]{32})?)@[\w.-]{1,100}/\d", ("://",)),
    Kind(
        "url-password",
        r"://[^\s/:@\"'<>\\]{0,128}+:(?P<secret>[^\s/\"'<>\\]{1,256})@(?=[\w\[])",
        ("://",),
        owners=SCHEMES,
    ),
    Kind("azure-client-secret", r"q~(?<=[a-z0-9_~.-]{3}[78]q~)[a-z0-9_~.-]{31,34}", ("q~",)),
    Kind("azure-sas-signature", r"sig=(?<=[?&;]sig=)(?P<secret>[a-z0-9%+/=_-]{30,})", ("sig=",)),
    Kind(
        "authorization-header",
        r"authorization[\\\"'\])]{0,5}+[ \t]*[:=,][ \t]*[\\\"'f]{0,3}+(?:basic|bearer|token|digest|apikey|bot)[ \t]+"
        r"(?P<secret>[a-z0-9+/=_.~:-]{8,512}+)",
        ("authorization",),
    ),
    Kind("bearer-token", r"bearer[ \t]+(?P<secret>[a-z0-9+/=_.~-]{16,512}+)", ("bearer",), _generated),
    Kind("basic-credentials", r"basic[ \t]+(?P<secret>[a-z0-9+/]{16,512}+={0,2})", ("basic ",), _generated),
    Kind(
        "cookie-header",
        r"cookie[\\\"'\])]{0,5}+[ \t]*[:=,][ \t]*[\\\"'`]{0,3}+(?P<secret>[\w.-]{1,80}=[^\r\n\"'\\`]{8,512}+)",
        ("cookie",),
        _cookie,
    ),
    Kind("session-id", rf"sess(?:ion)?[_-]?id{CLOSE}{SEPARATOR}{VALUE}", ("sess",), _session),
    Kind(
        "password",
        assigned(r"pass(?:w(?:or)?d|phrase|code|(?<![a-z]pass))", PASSWORD_VALUE),
        ("pass",),
        _password,
        OWNERS,
    ),
    Kind("password", assigned("pwd", PASSWORD_VALUE), ("pwd",), _password, OWNERS),
    Kind(
        "password",
        rf"парол(?:ь|я|ю|ем|и)?{CLOSE}{RUSSIAN_SEPARATOR}{PASSWORD_VALUE}",
        ("парол",),
        _russian_password,
    ),
    Kind("token", rf"токен(?:а|у|ом|е)?{CLOSE}{RUSSIAN_SEPARATOR}{VALUE}", ("токен",), _generated),
    Kind(
        "api-key",
        rf"(?:api[- ]ключ|ключ api|ключ доступа|секретный ключ){CLOSE}{RUSSIAN_SEPARATOR}{VALUE}",
        ("ключ",),
        _generated,
    ),
    Kind(
        "password",
        r"\|[ \t]*[`*]{0,4}(?P<bare>[^\s|\"'`<>]{6,128}+)[`*]{0,4}[ \t]*(?=[|\r\n\\]|$)",
        ("pass", "парол", "token", "токен", "secret"),
        _table_cell,
    ),
    *COMMANDS,
    *APART,
    Kind("secret", assigned(r"secret(?<!:secret)"), ("secret",), _secret, OWNERS),
    Kind("token", assigned("token"), ("token",), _token, OWNERS),
    Kind("api-key", assigned(KEY_NAME), ("key",), _secret, OWNERS),
    Kind("credential", assigned("credential"), ("credential",), _secret, OWNERS),
    *(
        Kind(
            "url-token",
            rf"{name}=(?<=[{before}]{name}=)(?P<secret>[^\s&#\"'`<>()\\]{{16,512}}+)",
            (f"{name}=",),
            _generated,
        )
        for before, name in (("?&", "key"), ("?&-", "signature"))  # ?key=, ?signature=, &X-Amz-Signature=
    ),
)
