"""The families of languages that are linked by declared types, each apart from the others."""

from collections.abc import Mapping

from pckc_domain.policy.graph.declared.languages.c_family import C_FAMILY
from pckc_domain.policy.graph.declared.languages.csharp import CSHARP
from pckc_domain.policy.graph.declared.languages.elixir import ELIXIR
from pckc_domain.policy.graph.declared.languages.files import JULIA, LUA, PLAIN, ZIG
from pckc_domain.policy.graph.declared.languages.go import GO
from pckc_domain.policy.graph.declared.languages.java import JAVA
from pckc_domain.policy.graph.declared.languages.kotlin import KOTLIN
from pckc_domain.policy.graph.declared.languages.php import PHP
from pckc_domain.policy.graph.declared.languages.ruby import RUBY
from pckc_domain.policy.graph.declared.languages.rust import RUST
from pckc_domain.policy.graph.declared.languages.scala import SCALA
from pckc_domain.policy.graph.declared.languages.swift import SWIFT
from pckc_domain.policy.graph.declared.rules import Rules

RULES: tuple[Rules, ...] = (
    C_FAMILY, CSHARP, ELIXIR, GO, JAVA, JULIA, KOTLIN, LUA, PHP, PLAIN, RUBY, RUST, SCALA, SWIFT, ZIG
)  # fmt: skip

RULES_OF: Mapping[str, Rules] = {language: rules for rules in RULES for language in rules.languages}
