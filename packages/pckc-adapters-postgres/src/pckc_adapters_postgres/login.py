"""Who logs in, and what to do when that is refused."""

from typing import Literal

import attrs

from pckc_adapters_postgres.address import Address


@attrs.frozen(kw_only=True)
class Login:
    """
    One of the two logins a store may have.

    Attributes:
        kind: The application's, or that of the owner who migrates.
        address: Who and where.
        variable: Name of the variable that its password, or the admin's url, came from; ``""`` without.
        unset: Name of the variable that should hold an owner's url, and does not.
    """

    kind: Literal["application", "admin"]
    address: Address
    variable: str = ""
    unset: str = ""

    def __str__(self) -> str:
        """Return it in words."""
        return f"{self.kind} login {self.address.user}".rstrip()

    @property
    def remedy(self) -> str:
        """What to do when the server does not know it."""
        if self.kind == "admin":
            return f"Correct the user and the password in the url that {self.variable} holds."
        if self.variable:
            return f"Correct the user in url, and the password that {self.variable} holds."
        return "Correct the user in url, and the password: name the variable that holds it in password_variable."
