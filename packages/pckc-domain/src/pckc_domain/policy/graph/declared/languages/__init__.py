"""The families of languages that are linked by declared types, each apart from the others."""

from collections.abc import Mapping

from pckc_domain.policy.graph.declared.languages.go import GO
from pckc_domain.policy.graph.declared.languages.java import JAVA
from pckc_domain.policy.graph.declared.rules import Rules

RULES: tuple[Rules, ...] = (GO, JAVA)

RULES_OF: Mapping[str, Rules] = {language: rules for rules in RULES for language in rules.languages}
