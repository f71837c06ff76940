"""A small repository with a bit of everything that a real one has."""

from .program import Repository

SECRETS = ("ghp_" + "k3Jv9QeXw2Lr7Ts5Yb1Nc8Md4Pz6Ha0GfUoI", "s3" + "cr-Vq8!tPz" + "Lk2#wNe7Rb")
"""A token and a password; neither may ever leave the work tree."""

LEASES = '''\
"""Leases on work items."""

MAX_RETRIES = 7
LEASE_SECONDS = 30


class LeaseExpiredError(RuntimeError):
    """The worker kept an item longer than its lease."""


class LeaseTable:
    """Who works on what.

    A lease must be renewed before LEASE_SECONDS have passed. Never renew a lease that has expired.
    """

    def __init__(self) -> None:
        self._owners: dict[str, str] = {}

    def acquire(self, item: str, owner: str) -> bool:
        """Take *item* for *owner*; False when another owner holds it."""
        if self._owners.get(item, owner) != owner:
            return False
        self._owners[item] = owner
        return True

    def release(self, item: str, owner: str) -> None:
        """Give *item* back.

        Raises:
            LeaseExpiredError: The lease was lost meanwhile.
        """
        if self._owners.pop(item, None) != owner:
            raise LeaseExpiredError(item)
'''

README = """\
# Harvester

Harvester collects readings from field sensors and stores them in order.

## Architecture

The scheduler hands work items to workers through the lease table. We decided to use leases instead of locks because a
worker may die at any moment.

## Security

Credentials must never be written to the log. Every request is authenticated with a signed token.

## Running

1. Run `make serve` to start the scheduler.
2. Run `make worker` on every machine.
"""

RUSSIAN = """\
# Планировщик

Планировщик раздаёт задания рабочим процессам. Аренда продлевается каждые десять секунд.

## Ограничения

Никогда не записывайте пароли в журнал. Очередь не должна превышать тысячу заданий.
"""

JAPANESE = """\
# 収穫機

作業項目はリース表を通じて作業者に渡されます。期限切れのリースを更新してはいけません。
"""

KOREAN = "# 수확기\n\n작업 항목은 임대 테이블을 통해 작업자에게 전달됩니다.\n"


def fill(repository: Repository) -> None:
    """Write and commit the sample."""
    write = repository.write
    write("README.md", README)
    write("src/harvester/__init__.py", '"""Collects readings."""\n')
    write("src/harvester/leases.py", LEASES)
    write(
        "src/harvester/client.py",
        '"""Talks to sensors."""\n\n\ndef fetch_reading(sensor_id: str, timeout_seconds: float = 2.5) -> bytes:\n'
        '    """Return the newest reading of one sensor.\n\n    Raises:\n        TimeoutError: The sensor is silent.\n'
        '    """\n    raise TimeoutError(sensor_id)\n',
    )
    write(
        "src/harvester/windows.py",
        "# Written on Windows.\r\nPORT = 8443\r\n\r\n\r\ndef listen():\r\n    return PORT\r\n",
    )
    write("tests/test_leases.py", "def test_a_lease_has_one_owner():\n    table = {}\n    assert table == {}\n")
    write("docs/планировщик.md", RUSSIAN)
    write("docs/収穫機.md", JAPANESE)
    write("docs/수확기.md", KOREAN)
    write("docs/release notes (draft).md", "# Release notes\n\nThe retry budget grew to seven attempts.\n")
    write("docs/adr/0001-leases.md", "# Leases\n\nStatus: accepted\n\nWe chose leases over locks for all work items.\n")
    write("docs/latin1.txt", "Das Fass heißt Überlauf und fasst genügend Messwerte für einen Tag.\n".encode("latin-1"))
    write("assets/logo.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)))
    write("uv.lock", 'version = 1\n\n[[package]]\nname = "attrs"\nversion = "25.1.0"\n')
    write(
        "deploy/settings.py",
        f'"""Settings of the deployment."""\n\nGITHUB_TOKEN = "{SECRETS[0]}"\nDATABASE_PASSWORD = "{SECRETS[1]}"\n'
        "REGION = 'eu-north-1'\n",
    )
    write("empty.py", "")
    repository.commit("Harvester")
