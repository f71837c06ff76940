"""How one claim bears on another, by rules."""
