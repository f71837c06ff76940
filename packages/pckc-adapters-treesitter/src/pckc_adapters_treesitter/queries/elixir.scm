(call target: (identifier) @word (arguments . (alias) @name)
  (#eq? @word "defmodule")) @definition.module
(call target: (identifier) @word (arguments . (alias) @name)
  (#eq? @word "defprotocol")) @definition.protocol
(call target: (identifier) @word (arguments . (alias) @name)
  (#eq? @word "defimpl")) @definition.impl
(call
  target: (identifier) @word
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")
  ])
  (#any-of? @word "def" "defp" "defguard" "defguardp" "defdelegate")) @definition.function
(call
  target: (identifier) @word
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")
  ])
  (#any-of? @word "defmacro" "defmacrop")) @definition.macro
