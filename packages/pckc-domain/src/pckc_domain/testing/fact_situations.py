"""
What sessions say, what the repository sets, and what becomes of it.

Each situation is a name, the steps as `FactWorld` plays them, and for words of a claim's text what became of the claims
with these words, the newest first; see `fact_world.Known.outcome`.
"""

Situation = tuple[str, tuple[str, ...], dict[str, tuple[str, ...]]]

_SAID = "user The timeout is 30 seconds."
_DJANGO = "user We use Django 5.1."

SITUATIONS: tuple[Situation, ...] = (
    # the same
    ("same value", (_SAID, "file config.py TIMEOUT = 30"), {"timeout": ("confirmed",), "TIMEOUT": ()}),
    ("said after", ("file config.py TIMEOUT = 30", _SAID), {"TIMEOUT": ("confirmed",), "timeout": ()}),
    (
        "unit in the name",
        ("user The timeout is 2 minutes.", "file a.py TIMEOUT_SECONDS = 120"),
        {"timeout": ("confirmed",)},
    ),
    ("milliseconds", (_SAID, "file a.ts export const TIMEOUT_MS = 30_000;"), {"timeout": ("confirmed",)}),
    (
        "minutes without unit",
        ("user The timeout is 30 minutes.", "file a.py TIMEOUT = 30"),
        {"timeout": ("confirmed",)},
    ),
    ("a product", ("user The cache TTL is 1 hour.", "file a.py CACHE_TTL = 60 * 60"), {"cache": ("confirmed",)}),
    ("a duration of Go", (_SAID, "file a.go const Timeout = 30 * time.Second"), {"timeout": ("confirmed",)}),
    (
        "a duration of Rust",
        (_SAID, "file a.rs pub const TIMEOUT: Duration = Duration::from_secs(30);"),
        {"timeout": ("confirmed",)},
    ),
    ("a timedelta", (_SAID, "file a.py TIMEOUT = timedelta(seconds=30)"), {"timeout": ("confirmed",)}),
    (
        "words for a name",
        ("user The auth timeout is 30 seconds.", "file a.py AUTH_TIMEOUT = 30"),
        {"auth": ("confirmed",)},
    ),
    ("a name for words", ("user MAX_RETRIES is 5.", "file a.ts export const maxRetries = 5;"), {"MAX": ("confirmed",)}),
    (
        "an attribute behind",
        ("user The timeout of the gateway is 30s.", "file a.py GATEWAY_TIMEOUT = 30"),
        {"gateway": ("confirmed",)},
    ),
    ("a switch", ("user Debug is enabled.", "file settings.py DEBUG = True"), {"Debug": ("confirmed",)}),
    (
        "a path",
        ("user The data dir is /var/lib/app.", 'file a.py DATA_DIR = "/var/lib/app"'),
        {"data dir": ("confirmed",)},
    ),
    (
        "a section",
        ("user The server listens on port 8080.", "file app.toml [server]\nport = 8080"),
        {"server": ("confirmed",)},
    ),
    ("no section said", (_SAID, "file app.toml [http]\ntimeout = 30"), {"timeout is": ("confirmed",)}),
    (
        "a key of YAML",
        ("user The log level is DEBUG.", "file app.yaml log:\n  level: debug"),
        {"log level": ("confirmed",)},
    ),
    (
        "an agent is promoted",
        ("agent The timeout is 30 seconds.", "file a.py TIMEOUT = 30"),
        {"TIMEOUT": ("confirmed",), "timeout": ()},
    ),
    ("an edit by a tool", ("edit /project/a.py TIMEOUT = 60", "file a.py TIMEOUT = 60"), {"TIMEOUT": ("confirmed",)}),
    (
        "a port of compose",
        ("user The web port is 8080.", 'file compose.yaml services:\n  web:\n    ports:\n      - "8080:80"'),
        {"web": ("confirmed",)},
    ),
    (
        "a Dockerfile's port",
        ("user The container listens on port 8000.", "file Dockerfile EXPOSE 8000"),
        {"container": ("confirmed",)},
    ),
    ("an .env file", ("user The db host is localhost.", "file .env DB_HOST=localhost"), {"host": ("confirmed",)}),
    # another value
    ("superseded", (_SAID, "file config.py TIMEOUT = 60"), {"timeout": ("superseded",), "TIMEOUT": ("alone",)}),
    ("contested", ("file config.py TIMEOUT = 60", _SAID), {"timeout": ("contested",), "TIMEOUT": ("contested",)}),
    (
        "code follows what was said",
        ("file a.py TIMEOUT = 60", _SAID, "file a.py TIMEOUT = 30"),
        {"timeout": ("confirmed",), "TIMEOUT = 60": ("superseded",)},
    ),
    (
        "code follows an edit",
        ("file a.py TIMEOUT = 60", "edit /project/a.py TIMEOUT = 90", "file a.py TIMEOUT = 90"),
        {"TIMEOUT = 90": ("confirmed",), "TIMEOUT = 60": ("superseded",)},
    ),
    (
        "a decision is not done yet",
        ("user Let's set the timeout to 60 seconds.", "file a.py TIMEOUT = 30"),
        {"timeout": ("contested",), "TIMEOUT": ("contested",)},
    ),
    (
        "a decision is done",
        ("file a.py TIMEOUT = 30", "user Let's set the timeout to 60 seconds.", "file a.py TIMEOUT = 60"),
        {"timeout": ("confirmed",), "TIMEOUT = 30": ("superseded",)},
    ),
    (
        "an agent is not believed",
        ("file a.py TIMEOUT = 60", "agent The timeout is 30 seconds."),
        {"timeout": ("candidate",), "TIMEOUT": ("alone",)},
    ),
    (
        "an agent was right once, the user later",
        ("file a.py TIMEOUT = 60", "file a.py TIMEOUT = 30", "user The timeout is 60 seconds."),
        {"timeout": ("contested",), "TIMEOUT = 30": ("contested",), "TIMEOUT = 60": ("superseded",)},
    ),
    # the past
    (
        "an edit of the line",
        ("file a.py TIMEOUT = 60", "file a.py TIMEOUT = 90"),
        {"90": ("alone",), "60": ("superseded",)},
    ),
    (
        "a revert",
        ("file a.py TIMEOUT = 60", "file a.py TIMEOUT = 90", "file a.py TIMEOUT = 60"),
        {"60": ("alone", "superseded"), "90": ("superseded",)},
    ),
    ("a deleted line", ("file a.py TIMEOUT = 60", "file a.py X = f()"), {"TIMEOUT": ("stale",)}),
    ("a deleted file", ("file a.py TIMEOUT = 60", "gone a.py"), {"TIMEOUT": ("stale",)}),
    (
        "a line that comes back",
        ("file a.py TIMEOUT = 60", "gone a.py", "file a.py TIMEOUT = 60"),
        {"TIMEOUT": ("alone",)},
    ),
    ("a confirmed claim loses its line", (_SAID, "file a.py TIMEOUT = 30", "gone a.py"), {"timeout": ("stale",)}),
    (
        "a confirmed claim finds its line again",
        (_SAID, "file a.py TIMEOUT = 30", "gone a.py", "file a.py TIMEOUT = 30"),
        {"timeout": ("confirmed",)},
    ),
    (
        "a moved file",
        (_SAID, "file a.py TIMEOUT = 30", "file b.py TIMEOUT = 30", "gone a.py"),
        {"timeout": ("confirmed",), "TIMEOUT": ("stale",)},
    ),
    (
        "said after it was gone",
        ("file a.py TIMEOUT = 60", "gone a.py", _SAID),
        {"timeout": ("alone",), "TIMEOUT": ("superseded",)},
    ),
    (
        "no dispute with what is gone",
        ("file a.py TIMEOUT = 60", _SAID, "gone a.py"),
        {"timeout": ("alone",), "TIMEOUT": ("superseded",)},
    ),
    ("a line above", ("file a.py TIMEOUT = 60", "file a.py import os\nTIMEOUT = 60"), {"TIMEOUT": ("alone",)}),
    # which place
    (
        "two files",
        (_SAID, "file a.py TIMEOUT = 60", "file b.py TIMEOUT = 30"),
        {"timeout": ("alone",), "TIMEOUT": ("alone", "alone")},
    ),
    (
        "two files, and an edit of one",
        ("file a.py TIMEOUT = 60", "file b.py TIMEOUT = 30", "edit /project/b.py TIMEOUT = 30"),
        {"TIMEOUT = 30": ("confirmed",), "TIMEOUT = 60": ("alone",)},
    ),
    (
        "the second file parts them again",
        (_SAID, "file a.py TIMEOUT = 30", "file b.py TIMEOUT = 60"),
        {"timeout": ("alone",), "TIMEOUT": ("alone", "alone")},
    ),
    (
        "a test's own value",
        (_SAID, "file tests/test_a.py TIMEOUT = 5", "file a.py TIMEOUT = 30"),
        {"timeout": ("confirmed",), "TIMEOUT": ()},
    ),
    (
        "the full name before the tail",
        (_SAID, "file app.toml [http]\ntimeout = 5", "file a.py TIMEOUT = 30"),
        {"timeout is": ("confirmed",), "[http]": ("alone",)},
    ),
    (
        "two sections",
        (_SAID, "file app.toml [http]\ntimeout = 5\n[db]\ntimeout = 30"),
        {"timeout is": ("alone",), "[http]": ("alone",), "[db]": ("alone",)},
    ),
    (
        "another thing's timeout",
        ("user The cache timeout is 5 seconds.", "file a.py AUTH_TIMEOUT = 30"),
        {"cache": ("alone",), "AUTH": ("alone",)},
    ),
    ("a condition", ("user In tests the timeout is 5 seconds.", "file a.py TIMEOUT = 30"), {"TIMEOUT": ("alone",)}),
    ("set twice in one file", (_SAID, "file a.py TIMEOUT = 30\nTIMEOUT = 60"), {"timeout": ("alone",), "TIMEOUT": ()}),
    ("no literal", (_SAID, 'file a.py TIMEOUT = int(os.environ["T"])'), {"timeout": ("alone",), "TIMEOUT": ()}),
    ("in a docstring", (_SAID, 'file a.py """\nTIMEOUT = 60\n"""'), {"timeout": ("alone",), "TIMEOUT": ()}),
    # branches
    (
        "a branch changes it",
        ("branch main", _SAID, "file a.py TIMEOUT = 30", "branch faster", "file a.py TIMEOUT = 5"),
        {"timeout": ("confirmed",), "TIMEOUT": ("alone",)},
    ),
    (
        "said on the branch",
        (
            "branch main",
            "file a.py TIMEOUT = 30",
            "branch faster",
            "file a.py TIMEOUT = 5",
            "user The timeout is 5 seconds.",
        ),
        {"TIMEOUT = 5": ("confirmed",), "TIMEOUT = 30": ("alone",)},
    ),
    (
        "said on a branch that does not set it",
        ("branch main", "file a.py TIMEOUT = 30", "branch faster", _SAID),
        {"TIMEOUT": ("confirmed",)},
    ),
    (
        "back on the mainline",
        (
            "branch main",
            "file a.py TIMEOUT = 30",
            "branch x",
            "file a.py TIMEOUT = 5",
            "branch main",
            "file a.py TIMEOUT = 30",
            _SAID,
        ),
        {"TIMEOUT = 30": ("confirmed",), "TIMEOUT = 5": ("alone",)},
    ),
    (
        "said of the mainline",
        ("branch faster", "file a.py TIMEOUT = 5", "branch main", _SAID),
        {"timeout": ("alone",), "TIMEOUT": ("alone",)},
    ),
    # versions
    ("a pinned version", (_DJANGO, "file requirements.txt django==5.1.4"), {"Django": ("confirmed",), "django": ()}),
    (
        "a newer version",
        (_DJANGO, "file requirements.txt django==5.2.1"),
        {"Django": ("superseded",), "django": ("alone",)},
    ),
    (
        "an older version",
        ("file requirements.txt django==4.2", _DJANGO),
        {"Django": ("contested",), "django": ("contested",)},
    ),
    ("a range", (_DJANGO, "file requirements.txt django>=5.0,<6"), {"Django": ("allowed",), "django": ("allowed",)}),
    (
        "a range that ends",
        (_DJANGO, "file requirements.txt django>=5.0,<6", "file requirements.txt django>=5.2,<6"),
        {"Django": ("superseded",), "django": ("alone", "superseded")},
    ),
    (
        "two that a range allows",
        ("file requirements.txt django>=5.0,<6", "user The Django version is 5.1.", "user We upgraded Django to 5.2."),
        {"5.1": ("superseded",), "Django to 5.2": ("allowed",)},
    ),
    (
        "a version said plainly",
        ("user Django is 5.1.", "file requirements.txt django==5.1.4"),
        {"Django": ("confirmed",)},
    ),
    (
        "a tool without kind",
        ("user We use requests 2.31.", "file requirements.txt requests==2.32"),
        {"use": ("superseded",)},
    ),
    (
        "a platform",
        ("user The project uses Python 3.12.", 'file pyproject.toml [project]\nrequires-python = ">=3.11"'),
        {"uses": ("allowed",)},
    ),
    (
        "another name of it",
        ("user We use Postgres 16.", "file compose.yaml services:\n  db:\n    image: postgres:16.1"),
        {"use": ("confirmed",)},
    ),
    (
        "npm",
        ("user We use React 18.", 'file package.json {\n "dependencies": {\n  "react": "^19.0.0"\n }\n}'),
        {"use": ("superseded",)},
    ),
    (
        "Cargo",
        ("user The tokio version is 1.35.", 'file Cargo.toml [dependencies]\ntokio = "1.35"'),
        {"version is": ("allowed",)},
    ),
    (
        "Go modules",
        ("user The gin version is 1.9.", "file go.mod require github.com/gin-gonic/gin v1.9.1"),
        {"version is": ("confirmed",)},
    ),
    (
        "a lock file",
        (_DJANGO, 'file poetry.lock [[package]]\nname = "django"\nversion = "4.2"'),
        {"Django": ("alone",), "4.2": ()},
    ),
    # secrets
    ("a secret by name", ('file a.py API_TOKEN = "abc"\nDB_PASSWORD = "abc"\nSECRET_KEY = "abc"',), {"abc": ()}),
    ("a secret by form", ('file a.py GITHUB = "ghp_k3Jv9QeXw2Lr7Ts5Yb1Nc8Md4Pz6Ha0GfUoI"',), {"GITHUB": ()}),
)


# a situation reads best on one line
