"""Import every module of a package."""

import importlib
import pkgutil
import sys


def main() -> None:
    """Import the package named on the command line."""
    package = importlib.import_module(sys.argv[1])
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)


main()
