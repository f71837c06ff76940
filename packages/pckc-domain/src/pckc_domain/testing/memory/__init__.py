"""A store of plain dictionaries: what every other store is compared with."""
