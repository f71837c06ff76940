"""Classes: what stands above and below each, and which of them has a member."""

from collections.abc import Iterable, Sequence

from pckc_domain.model.code_facts import NOTHING, ScopeKind
from pckc_domain.policy.graph.family import Family
from pckc_domain.policy.graph.hierarchy import linearize
from pckc_domain.policy.graph.modules import ModuleTable
from pckc_domain.policy.graph.shapes import Row
from pckc_domain.policy.graph.values import ClassValue, External
from pckc_domain.policy.graph.world import Remembered, World


class Classes(World):
    """
    Knows the order of classes, once it is known which classes their bases are.

    Attributes:
        is_linearized: Whether it is.
        is_late: Whether base classes that came out of calls are known too.
    """

    def __init__(self, family: Family, modules: ModuleTable, remembered: Remembered) -> None:
        super().__init__(family, modules, remembered)
        self.is_linearized = False
        self.is_late = False
        self._orders: dict[int, list[int]] = {}
        self._bases: dict[int, list[int]] = {}
        self._outer: dict[int, str] = {}
        self._functions: dict[int, dict[tuple[int, str], int]] = {}
        self._below_right: dict[int, list[int]] = {}
        self._subclasses: dict[int, dict[int, None]] = {}

    # Rows

    def read_rows(self, file: int) -> None:
        """Note what a file's classes say of their bases, from what the variables of these hold."""
        one = self.program.files[file]
        for scope in self.program.classes(file):
            row = self._read_row(scope)
            rows = one.shape.late if self.is_late else one.shape.rows
            if not self.is_late or row != one.shape.rows[scope - one.scope_base]:
                rows[scope - one.scope_base] = row

    def _read_row(self, scope: int) -> Row:
        program = self.program
        found: list[int] = []
        outer = ""
        for local in program.scopes[scope].bases:
            held = [self.values[number] for number in self.holds(program.variable(scope, local))]
            classes = [value.owner for value in held if isinstance(value, ClassValue) and value.owner != scope]
            found += [one for one in classes if one not in found]
            if not classes:
                outer = outer or next((value.external for value in held if isinstance(value, External)), "?")
        metaclass = program.scopes[scope].metaclass
        above = [self.values[number] for number in self.holds(program.variable(scope, metaclass))] if metaclass else []
        kinds = [self._class_name(value.owner) for value in above if isinstance(value, ClassValue)]
        return Row(tuple(map(self._class_name, found)), outer, kinds[0] if kinds else None)

    def _class_name(self, scope: int) -> tuple[str, str]:
        return self.program.files[self.program.file_of[scope]].path, self.program.key(scope)

    def forget_orders(self) -> None:
        """Look at the bases of classes anew."""
        self._orders.clear()
        self._bases.clear()
        self._outer.clear()
        for work in self.works.values():
            work.orders.clear()
            work.found.clear()
            work.attributes.clear()

    def row(self, scope: int) -> Row:
        """Return what is known of a class."""
        one = self.program.files[self.program.file_of[scope]]
        local = scope - one.scope_base
        row = one.shape.rows.get(local, Row())
        return one.shape.late.get(local, row) if self.is_late or (not one.is_test and self.with_tests) else row

    def bases_of(self, scope: int) -> list[int]:
        """Return the base classes of a class that stand in the program, in order."""
        known = self._bases.get(scope)
        if known is None:
            found = [self.program.scope(*base) for base in self.row(scope).bases]
            known = self._bases[scope] = [base for base in found if base is not None]
        return known

    # Above

    def order(self, scope: int) -> list[int]:
        """Return a class and its ancestors in the order in which they are searched."""
        known = self.work.orders.get(scope)
        if known is None:
            known = linearize(scope, self.bases_of, self._orders)
            self.work.orders[scope] = known
            files = self.program.file_of
            self.work.asked_scopes.update(one for one in known if files[one] != self.here)
        return known

    def outer_base(self, scope: int) -> str:
        """Return the first class above one that stands outside of the program; ``""`` without one."""
        order = self.order(scope)
        known = self._outer.get(scope)
        if known is None:
            known = self._outer[scope] = next((outer for one in order if (outer := self.row(one).outer)), "")
        return known

    def metaclass(self, scope: int) -> int | None:
        """Return the metaclass of a class."""
        for one in self.order(scope):
            name = self.row(one).metaclass
            if name is not None:
                return self.program.scope(*name)
        return None

    def find_member(self, owner: int, name: str) -> int:
        """Return the variable of the first member *name* among a class and its ancestors; nothing without one."""
        key = (owner, name)
        known = self.work.found.get(key)
        if known is None:
            self.work.asked.add(f".{name}")
            members = self.program.members
            found = (variable for one in self.order(owner) if (variable := members[one].get(name)))
            known = self.work.found[key] = next(found, NOTHING)
        return known

    def is_stored(self, name: str) -> bool:
        """Return whether something sets an attribute *name*."""
        self.work.asked.add(f".{name}")
        return self.remembered.stores(name, with_tests=self.with_tests)

    def function_in(self, owner: int, name: str) -> int:
        """Return the last function *name* that stands right in a class; -1 without one."""
        file = self.program.file_of[owner]
        known = self._functions.get(file)
        if known is None:
            one = self.program.files[file]
            known = self._functions[file] = {
                (one.scope_base + facts.parent, facts.name): scope
                for scope, facts in enumerate(one.shape.scopes, start=one.scope_base)
                if facts.kind is ScopeKind.FUNCTION
            }
        return known.get((owner, name), -1)

    # Below

    def note_subclasses(self, file: int) -> None:
        """Let the classes above a file's classes know them; the ones that calls give are not counted."""
        self._below_right.clear()
        for scope in self.program.classes(file):
            for base in self.bases_of(scope):
                self._subclasses.setdefault(base, {})[scope] = None

    def has_subclasses(self, owner: int) -> bool:
        """Return whether a class has classes below it."""
        self.work.asked.add(f"<{self.program.id(owner)}")
        return bool(self._right_below(owner))

    def below(self, owner: int) -> Sequence[int]:
        """Return all classes below one, by id."""
        self.work.asked.add(f"<{self.program.id(owner)}")
        found: dict[int, None] = {}
        stack = list(self._right_below(owner))
        while stack:
            one = stack.pop()
            if one not in found:
                found[one] = None
                stack.extend(self._right_below(one))
        return sorted(found, key=self.program.id)

    def _right_below(self, owner: int) -> Iterable[int]:
        known = self._below_right.get(owner)
        if known is None:
            found = dict(self._subclasses.get(owner, {}))
            for path in self.remembered.subclasses(self.program.id(owner)):
                file = self.program.file(path)
                if (
                    file is not None
                    and file not in self.works
                    and (self.with_tests or not self.program.files[file].is_test)
                ):
                    one = self.program.files[file]
                    name = self._class_name(owner)
                    found.update(
                        dict.fromkeys(
                            one.scope_base + local for local, row in one.shape.rows.items() if name in row.bases
                        )
                    )
            known = self._below_right[owner] = list(found)
        return known
