"""Scala: packages, objects beside classes, ``apply``, and the collections of the standard library."""

from pckc_domain.policy.graph.declared.rules import How, Rules

_HOLDERS = "Option Some Try Success Future Either Right Promise AtomicReference Ref".split()
_BUILTINS = frozenset(
    "println print require assert assume identity implicitly summon Some None Option List Nil Seq Vector Array "
    "Set Map Left Right Iterator String Math System Thread Exception RuntimeException IllegalArgumentException "
    "StringBuilder".split()
)

SCALA = Rules(
    languages=frozenset(("scala",)),
    invokers=frozenset(("apply",)),
    builtins=_BUILTINS,
    has_relative_imports=True,
    call_operator="apply",
    holders=dict.fromkeys(_HOLDERS, 0),
    methods={
        **dict.fromkeys(
            "filter filterNot sortBy sorted sortWith reverse distinct take drop takeWhile dropWhile toList toSeq "
            "toVector toSet tail init withFilter iterator orElse recover recoverWith toOption".split(),
            How.SAME,
        ),
        **dict.fromkeys(
            "head last get getOrElse apply maxBy minBy reduce next result asInstanceOf".split(),
            How.ITEM,
        ),
        **dict.fromkeys(("headOption", "lastOption", "find", "lift"), How.OPTION),
        "values": How.ITEMS,
        "keys": How.KEYS,
        **dict.fromkeys(("map", "collect"), How.MAPPED),
        "flatMap": How.FLAT,
    },
)
