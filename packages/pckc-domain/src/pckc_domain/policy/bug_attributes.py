"""The attributes by which claims tell of a bug."""

BUG = "bug"
"""Attribute of what fails: bugs and their fixes share a slot."""

CAUSE = "cause"
"""Attribute of what failed: why it did."""

REMEDY = "remedy"
"""Attribute of what fails: what helps."""

EXPLAINED_BY = (BUG, CAUSE, REMEDY)
"""Attributes of claims that tell of a bug."""


def is_cause(attribute: str) -> bool:
    """Return whether *attribute* is one by which a bug is explained."""
    return attribute in {CAUSE, REMEDY}
