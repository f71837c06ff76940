(function_declaration name: (_) @name) @definition.function
(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (type_identifier) @scope
        (generic_type type: (type_identifier) @scope)
        (pointer_type [(type_identifier) @scope (generic_type type: (type_identifier) @scope)])
      ]))
  name: (_) @name) @definition.method
(type_declaration . (type_spec name: (_) @name type: (struct_type)) .) @definition.struct
(type_declaration . (type_spec name: (_) @name type: (interface_type)) .) @definition.interface
(type_spec name: (_) @name type: (struct_type)) @definition.struct
(type_spec name: (_) @name type: (interface_type)) @definition.interface
(type_spec name: (_) @name) @definition.type
(type_alias name: (_) @name) @definition.type
(interface_type (method_elem name: (_) @name) @definition.method)
(var_spec name: (identifier) @name value: (expression_list (func_literal))) @definition.function
