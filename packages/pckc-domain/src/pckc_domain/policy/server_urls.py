"""The url of a server, told without what may be secret in it."""

import re

from pckc_domain.errors import ConfigurationError

_URL = re.compile(r"(https?://)(?:[^/?#@\s]*@)?((?:[\w.-]+|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?(?:/[\w./~-]*)?)")


def server_place(url: str, *, name: str, example: str, key_setting: str) -> str:
    """
    Return scheme, host, port and path of the *url* of the server called *name*.

    A password with a ``/`` or an ``@`` in it would shift what follows, and a part of it pass for the host. *example* is
    a url that would do, *key_setting* the setting that names the variable of a key.

    Raises:
        ConfigurationError: It has anything else but a login; nothing of it is quoted.
    """
    if found := _URL.fullmatch(url):
        return found[1] + found[2]
    raise ConfigurationError(
        f"{name}'s url cannot be read",
        remedy=f'write url = "{example}", without ? and what follows it; a key goes into the variable that'
        f" {key_setting} names, special characters of a password are written percent-encoded",
    )
