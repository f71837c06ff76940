"""What files of a repository set: constants, settings, versions of dependencies, ports and paths."""
