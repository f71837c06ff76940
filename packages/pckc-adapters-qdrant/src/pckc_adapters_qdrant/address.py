"""Where the server is, told without what may be secret in its url."""

from pckc_domain.policy.server_urls import server_place


def place_of(url: str) -> str:
    """
    Return scheme, host, port and path.

    Raises:
        ConfigurationError: See `server_place`.
    """
    return server_place(url, name="qdrant", example="http://127.0.0.1:6333", key_setting="api_key_variable")
