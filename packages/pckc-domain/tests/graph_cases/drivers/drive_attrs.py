"""Uses attrs: classes, fields, validators, converters, comparison, evolving and serialising."""

# ruff: noqa: ARG005, B015, N818, S110, SIM105  # a run of everything, for its calls

import attr
import attrs


def whole(instance, attribute, value):
    if value < 0:
        raise ValueError(value)


@attrs.define(order=True)
class Point:
    x: int = attrs.field(default=0, validator=[attrs.validators.instance_of(int), whole])
    y: int = attrs.field(factory=int, converter=int)
    label: str = attrs.field(default="p", validator=attrs.validators.optional(attrs.validators.in_(("p", "q"))))

    @y.validator
    def check(self, attribute, value):
        pass


@attrs.frozen
class Line:
    start: Point
    end: Point
    tags: list = attrs.field(factory=list, validator=attrs.validators.deep_iterable(attrs.validators.instance_of(str)))
    name: str = attrs.field(kw_only=True, default=attrs.Factory(lambda self: str(self.start), takes_self=True))


@attr.s(auto_attribs=True, cache_hash=True, frozen=True, slots=False, str=True)
class Old(Exception):
    code: int
    text: str = attr.ib(default="", repr=False, eq=str.lower)


@attr.s(these={"a": attr.ib(), "b": attr.ib(default=2)}, on_setattr=attr.setters.validate)
class These:
    pass


Third = attrs.make_class("Third", {"a": attrs.field(default=0), "b": attrs.field(default=1)}, bases=(Point,))
point = Point(1, "2")
line = Line(point, Point(2, 3), ["a"])
attrs.asdict(line), attrs.astuple(line, recurse=True), attrs.evolve(line, name="n"), attrs.has(Point)
attrs.fields(Line), attrs.fields_dict(Line), attrs.resolve_types(Line), attrs.validate(line)
repr(line), line == attrs.evolve(line), point < Point(5, 5)
point.x = 4
for wrong in (lambda: Point(-1), lambda: Point("a"), lambda: setattr(line, "name", "x"), lambda: Point(1, 1, "z")):
    try:
        wrong()
    except Exception:
        pass
str(Old(1, "x")), hash(Old(1, "x")), Old(1, "A") == Old(1, "a"), These(1), Third(1, 2, a=3)
attrs.asdict(line, filter=attrs.filters.exclude(attrs.fields(Line).name), value_serializer=lambda i, a, v: v)
attrs.validators.and_(attrs.validators.ge(1), attrs.validators.matches_re("x"))
Cmp = attrs.cmp_using(eq=lambda a, b: a == b, class_name="Cmp")
Cmp(1) == Cmp(2)
attrs.converters.pipe(int, str), attrs.converters.optional(int)("3"), attrs.converters.to_bool("yes")
