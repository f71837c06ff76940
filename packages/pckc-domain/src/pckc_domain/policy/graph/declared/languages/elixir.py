"""Elixir: modules have global names; aliases shorten them, imports bring their functions."""

from pckc_domain.policy.graph.declared.rules import Rules

_BUILTINS = frozenset(
    "abs apply binary_part bit_size byte_size ceil div elem exit floor hd inspect is_atom is_binary is_bitstring "
    "is_boolean is_float is_function is_integer is_list is_map is_map_key is_nil is_number is_pid is_port "
    "is_reference is_struct is_tuple is_exception length make_ref map_size max min node not put_elem put_in "
    "get_in update_in pop_in rem round self send spawn spawn_link spawn_monitor struct struct! then tap throw tl "
    "to_charlist to_string trunc tuple_size binding dbg sigil_r sigil_s sigil_w match? Access Agent Application "
    "Atom Base Bitwise Calendar Code Date DateTime Duration Enum Enumerable Exception File Float Function "
    "GenServer IO Inspect Integer Kernel Keyword List Logger Macro Map MapSet Module NaiveDateTime Node "
    "OptionParser Path PartitionSupervisor Port Process Protocol Range Record Regex Registry Stream String "
    "StringIO Supervisor System Task Time Tuple URI Version ExUnit Mix ArgumentError RuntimeError KeyError".split()
)

ELIXIR = Rules(
    languages=frozenset(("elixir",)),
    modules_are_names=True,
    counts_arguments=True,
    builtins=_BUILTINS,
    dispatches_types=True,
    has_dotted_spaces=True,
)
