"""Which file an import of JavaScript or TypeScript means."""

from collections.abc import Iterable, Iterator, Mapping

from pckc_domain.policy.graph.javascript.settings import Compilation, Package, compilations, normal, packages
from pckc_domain.policy.graph.modules import File, Folder

_ENDINGS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte")
_DECLARING = (".d.ts", ".d.mts", ".d.cts")
_WRITTEN = {
    ".js": (".ts", ".tsx", ".jsx"),
    ".jsx": (".tsx",),
    ".mjs": (".mts",),
    ".cjs": (".cts",),
}
"""What a file that is named by its compiled name is written in."""
_BUILT = ("dist", "build", "lib", "out", "esm", "cjs", "es")
_SOURCES = ("src", "lib", "source", "")


class Modules:
    """
    The modules of a repository, found the way Node and the TypeScript compiler find them.

    Relative paths are tried with every ending and as folders; other names are aliases of the nearest tsconfig.json, or
    packages of the repository by the name that their package.json says. A name that is none of these is never one of a
    file.
    """

    def __init__(self, paths: Iterable[str], settings: Mapping[str, str]) -> None:
        self._paths = frozenset(paths)
        self._packages = {one.folder: one for one in packages(settings)}
        self._named = {one.name: one for one in reversed(self._packages.values()) if one.name}
        self._compilations = {one.folder: one for one in compilations(settings)}
        self.layout = (tuple(self._packages.items()), tuple(self._compilations.items()))

    def find(self, importer: str, module: str, _level: int, /) -> File | Folder | None:
        """Return the file that *module* means in the file at *importer*; there are no levels."""
        folder = importer.rpartition("/")[0]
        module = module.partition("?")[0]
        if module in (".", "..") or module.startswith(("./", "../")):
            return self._at(normal(folder, module))
        if module.startswith("/") or not module:
            return None
        if module.startswith("#") and (found := self._imported(folder, module)):
            return found
        return self._aliased(folder, module) or self._packaged(module)

    def inside(self, _owner: File | Folder, _name: str, /) -> File | Folder | None:
        """Return nothing: no module is a part of another."""
        return None

    def asked(self, importer: str, module: str, _level: int, /) -> Iterator[str]:
        """Return the last part of *module*, the main file of a folder, and the files that aliases and packages name."""
        yield _stem(module.rpartition("/")[2])
        yield "index"
        folder = importer.rpartition("/")[0]
        if module.startswith("."):
            package = self._packages.get(normal(folder, module))
        else:
            package = self._named.get(_package_name(module))
            tables = [config.aliases for config in self._compilations.values()]
            tables += [one.imports for one in self._packages.values()]
            for pattern, targets in (row for table in tables for row in table):
                star = _starred(pattern, module)
                yield from (_stem_of(target, star) for target in targets if star is not None)
        if package is not None:
            said = [*package.entries, *(one for _, targets in package.exports or () for one in targets)]
            yield from (_stem_of(one, "") for one in said if "*" not in one)

    def names(self, path: str, /) -> Iterator[str]:
        """Return the file's own name, and that of its folder, whose main file it may be."""
        *folders, name = path.split("/")
        yield _stem(name)
        if folders:
            yield folders[-1]

    # Paths

    def _at(self, path: str) -> File | None:
        """Return the file or main file of a folder at *path*."""
        found = self._file(path)
        if found is not None:
            return found
        package = self._packages.get(path)
        if package is not None and (found := self._entry(package)) is not None:
            return found
        return self._file(f"{path}/index" if path else "index")

    def _file(self, path: str) -> File | None:
        for written in _WRITTEN:
            if path.endswith(written):
                bare = path.removesuffix(written)
                ends = (written, *_WRITTEN[written])
                return next((File(bare + end) for end in ends if bare + end in self._paths), None) or self._plain(path)
        return File(path) if path in self._paths else self._plain(path)

    def _plain(self, path: str) -> File | None:
        return next((File(path + end) for end in (*_ENDINGS, *_DECLARING) if path + end in self._paths), None)

    # Packages

    def _packaged(self, module: str) -> File | None:
        name = _package_name(module)
        package = self._named.get(name)
        if package is None:
            return None
        rest = module[len(name) + 1 :]
        if package.exports is not None:
            found = self._mapped(package, package.exports, f"./{rest}" if rest else ".")
            if found is not None:
                return found
        return self._source(package, rest) if rest else self._entry(package)

    def _entry(self, package: Package) -> File | None:
        if package.exports is not None and (found := self._mapped(package, package.exports, ".")):
            return found
        tried = (self._source(package, entry) for entry in package.entries)
        found = next((one for one in tried if one is not None), None)
        if found is not None:
            return found
        folders = [f"{package.folder}/{one}".strip("/") for one in ("src", "")]
        tried = (self._file(f"{one}/index".strip("/")) for one in folders)
        return next((one for one in tried if one is not None), None)

    def _mapped(self, package: Package, table: tuple[tuple[str, tuple[str, ...]], ...], name: str) -> File | None:
        for pattern, targets in table:
            star = _starred(pattern, name)
            for target in targets if star is not None else ():
                found = self._source(package, target.replace("*", star or ""))
                if found is not None:
                    return found
        return None

    def _source(self, package: Package, target: str) -> File | None:
        """Return the file at *target*; when that would be built, the one it is built from."""
        path = normal(package.folder, target) if not target.startswith("/") else target[1:]
        found = self._at(path)
        if found is not None:
            return found
        inside = path.removeprefix(package.folder).strip("/").split("/")
        if inside[0] not in _BUILT:
            return None
        rest = inside[1:]
        while rest and rest[0] in _BUILT:
            rest = rest[1:]
        bare = "/".join(rest)
        for end in (*_DECLARING, *_ENDINGS):
            if bare.endswith(end):
                bare = bare.removesuffix(end)
                break
        for folder in _SOURCES:
            found = self._at(normal(package.folder, f"{folder}/{bare}" if folder else bare))
            if found is not None:
                return found
        return None

    def _imported(self, folder: str, module: str) -> File | None:
        """Return what a package's own ``#name`` means."""
        for around in _upwards(folder):
            package = self._packages.get(around)
            if package is not None:
                return self._mapped(package, package.imports, module)
        return None

    # Aliases

    def _aliased(self, folder: str, module: str) -> File | None:
        config = next((self._compilations[one] for one in _upwards(folder) if one in self._compilations), None)
        return self._by_alias(config, module) if config is not None else None

    def _by_alias(self, config: Compilation, module: str) -> File | None:
        for pattern, targets in sorted(config.aliases, key=lambda one: -len(one[0].partition("*")[0])):
            star = _starred(pattern, module)
            for target in targets if star is not None else ():
                found = self._at(target.replace("*", star or "", 1))
                if found is not None:
                    return found
        if config.base is None:
            return None
        return self._at(normal(config.base, module))


def _starred(pattern: str, name: str) -> str | None:
    """Return what the star of *pattern* stands for in *name*; ``None`` when it does not fit."""
    before, star, after = pattern.partition("*")
    if not star:
        return "" if pattern == name else None
    if len(name) < len(before) + len(after) or not name.startswith(before) or not name.endswith(after):
        return None
    return name[len(before) : len(name) - len(after)]


def _upwards(folder: str) -> Iterator[str]:
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""


def _stem(name: str) -> str:
    return name.partition(".")[0] or name


def _stem_of(target: str, star: str) -> str:
    return _stem(target.replace("*", star).rpartition("/")[2])


def _package_name(module: str) -> str:
    """Return the package that a name which is no path begins with; one of an organisation has two parts."""
    return "/".join(module.split("/")[: 2 if module.startswith("@") else 1])
