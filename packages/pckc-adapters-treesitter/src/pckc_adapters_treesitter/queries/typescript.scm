(class_declaration name: (_) @name) @definition.class
(export_statement declaration: (class_declaration name: (_) @name)) @definition.class
(export_statement "default" @name value: (class)) @definition.class
(variable_declarator name: (identifier) @name value: (class)) @definition.class
(method_definition name: (_) @name) @definition.method
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @definition.method

(function_declaration name: (_) @name) @definition.function
(generator_function_declaration name: (_) @name) @definition.function
(export_statement "default" @name value: [(arrow_function) (function_expression) (generator_function)]) @definition.function
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @definition.function
(assignment_expression
  left: (member_expression object: (member_expression object: (_) @scope) property: (_) @name)
  right: [(arrow_function) (function_expression) (generator_function)]) @definition.method
(assignment_expression
  left: (member_expression object: (identifier) property: (_) @name)
  right: [(arrow_function) (function_expression) (generator_function)]) @definition.function

; objects that hold functions
(variable_declarator
  name: (identifier) @name
  value: (object [(method_definition) (pair value: [(arrow_function) (function_expression)])])) @definition.object
(variable_declarator
  value: (object (pair key: (_) @name value: [(arrow_function) (function_expression)]) @definition.method))
(assignment_expression
  right: (object (pair key: (_) @name value: [(arrow_function) (function_expression)]) @definition.method))
(export_statement
  value: (object (pair key: (_) @name value: [(arrow_function) (function_expression)]) @definition.method))

(abstract_class_declaration name: (_) @name) @definition.class
(export_statement declaration: (abstract_class_declaration name: (_) @name)) @definition.class
(abstract_method_signature name: (_) @name) @definition.method
(method_signature name: (_) @name) @definition.method
(function_signature name: (_) @name) @definition.function
(interface_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.enum
(type_alias_declaration name: (_) @name) @definition.type
(module name: [(identifier) (nested_identifier)] @name) @definition.module
(module name: (string (string_fragment) @name)) @definition.module
(internal_module name: (_) @name) @definition.namespace
(decorator) @lead
