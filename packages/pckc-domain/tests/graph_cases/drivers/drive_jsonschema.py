"""Uses jsonschema: drafts, references, formats, errors and their best match."""

# ruff: noqa: ARG005, S110, SIM105  # a run of everything, for its calls

import jsonschema
from jsonschema import Draft4Validator, Draft7Validator, Draft202012Validator, FormatChecker, validators
from jsonschema.exceptions import ErrorTree, best_match

SCHEMA = {
    "$defs": {"positive": {"type": "integer", "exclusiveMinimum": 0}},
    "type": "object",
    "required": ["a", "b"],
    "properties": {
        "a": {"$ref": "#/$defs/positive"},
        "b": {"type": "array", "items": {"type": "string", "minLength": 2}, "uniqueItems": True, "minItems": 1},
        "c": {"oneOf": [{"const": 1}, {"enum": [2, 3]}, {"pattern": "^x"}]},
        "d": {"anyOf": [{"type": "null"}, {"format": "email"}]},
        "e": {"allOf": [{"maximum": 3}, {"multipleOf": 2}], "not": {"const": 4}},
        "f": {"if": {"type": "string"}, "then": {"maxLength": 1}, "else": {"minimum": 3}},
        "g": {"contains": {"const": 1}, "prefixItems": [{"type": "number"}]},
    },
    "patternProperties": {"^z": {"type": "boolean"}},
    "propertyNames": {"maxLength": 8},
    "additionalProperties": False,
    "dependentRequired": {"c": ["d"]},
    "minProperties": 1,
}
for instance in (
    {"a": 1, "b": ["xx"]},
    {"a": -1, "b": ["x", "x"], "c": 9, "d": 4, "e": 5, "f": "long", "g": [2], "zz": 1, "extra": 1, "muchtoolong": 2},
    {"a": "x"},
    [],
):
    for kind in (Draft202012Validator, Draft7Validator, Draft4Validator):
        try:
            validator = kind(SCHEMA, format_checker=FormatChecker())
            errors = sorted(validator.iter_errors(instance), key=lambda error: str(error.path))
            best_match(errors), ErrorTree(errors), [str(error) for error in errors], validator.is_valid(instance)
        except Exception:
            pass
    try:
        jsonschema.validate(instance, SCHEMA)
    except jsonschema.ValidationError as error:
        str(error), repr(error), error.json_path
try:
    Draft7Validator.check_schema({"type": 3})
except jsonschema.SchemaError:
    pass
validators.extend(Draft7Validator, {"is": lambda *a: None})
validators.validator_for(SCHEMA)
