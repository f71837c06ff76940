(module_definition name: (_) @name) @definition.module
(struct_definition
  (type_head [
    (identifier) @name
    (parametrized_type_expression . (identifier) @name)
    (binary_expression . [(identifier) @name (parametrized_type_expression . (identifier) @name)])
  ])) @definition.struct
(abstract_definition
  (type_head [
    (identifier) @name
    (parametrized_type_expression . (identifier) @name)
    (binary_expression . [(identifier) @name (parametrized_type_expression . (identifier) @name)])
  ])) @definition.type
(macro_definition (signature (call_expression . (_) @name))) @definition.macro
(function_definition
  (signature [
    (call_expression . [(identifier) @name (field_expression value: (_) @scope (identifier) @name)])
    (_ . (call_expression . [(identifier) @name (field_expression value: (_) @scope (identifier) @name)]))
    (_ . (_ . (call_expression . [(identifier) @name (field_expression value: (_) @scope (identifier) @name)])))
  ])) @definition.function
(assignment . [
  (call_expression . [(identifier) @name (field_expression value: (_) @scope (identifier) @name)])
  (where_expression . (call_expression . [(identifier) @name (field_expression value: (_) @scope (identifier) @name)]))
  (typed_expression . (call_expression . [(identifier) @name (field_expression value: (_) @scope (identifier) @name)]))
]) @definition.function
(assignment . (identifier) @name (arrow_function_expression) .) @definition.function
