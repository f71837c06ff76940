"""What a site's robots.txt allows."""

from collections.abc import Callable

from pckc_domain.errors import BackendUnavailableError

from pckc_adapters_sources.documents.errors import missing

ROBOTS_BYTES = 500 * 1024
"""RFC 9309, 2.5: parsers read at least so much."""


class Robots:
    """
    Answers for many sites, each asked once.

    Args:
        user_agent: Rules are looked up by its first word.
        fetch: Returns status and text of a ``robots.txt``.
    """

    def __init__(self, user_agent: str, fetch: Callable[[str], tuple[int, str]]) -> None:
        self._user_agent = user_agent.split("/")[0].split(" ")[0] or "*"
        self._fetch = fetch
        self._rules: dict[str, str] = {}

    def allow(self, url: str, site: str) -> bool:
        """
        Return whether *url*, on *site* (scheme, host and port), may be read.

        Without the file all is allowed; RFC 9309, 2.3.1.

        Raises:
            BackendUnavailableError: The site cannot tell its rules now, so that nothing may be read.
        """
        try:
            from protego import Protego
        except ImportError as error:
            raise missing("protego") from error
        if site not in self._rules:
            status, text = self._fetch(f"{site}/robots.txt")
            if status >= 500:
                raise BackendUnavailableError(
                    f"{site}/robots.txt cannot be read now (status {status})", remedy="Try again later"
                )
            self._rules[site] = text if status < 300 else ""
        return bool(Protego.parse(self._rules[site]).can_fetch(url, self._user_agent))
