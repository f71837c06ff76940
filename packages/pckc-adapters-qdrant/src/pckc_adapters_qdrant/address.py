"""A server's url, told without what may be secret in it."""

import re

from pckc_domain.errors import ConfigurationError

_URL = re.compile(r"(https?://)(?:[^/?#@\s]*@)?((?:[\w.-]+|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?(?:/[\w./~-]*)?)")


def place_of(url: str) -> str:
    """
    Return scheme, host, port and path.

    A password with a ``/`` or an ``@`` in it would shift what follows, and a part of it pass for the host.

    Raises:
        ConfigurationError: It has anything else but a login; nothing of it is quoted.
    """
    if found := _URL.fullmatch(url):
        return found[1] + found[2]
    raise ConfigurationError(
        "qdrant's url cannot be read",
        remedy='write url = "http://127.0.0.1:6333", without ? and what follows it; a key goes into the variable that'
        " api_key_variable names, special characters of a password are written percent-encoded",
    )
