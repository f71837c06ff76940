(class_specifier name: [(type_identifier) @name (template_type name: (_) @name) (qualified_identifier) @name] body: (_)) @definition.class
(struct_specifier name: [(type_identifier) @name (template_type name: (_) @name) (qualified_identifier) @name] body: (_)) @definition.struct
(union_specifier name: (_) @name body: (_)) @definition.union
(enum_specifier name: (_) @name body: (_)) @definition.enum
(type_definition type: (class_specifier !name body: (_)) declarator: (type_identifier) @name) @definition.class
(type_definition type: (struct_specifier !name body: (_)) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (union_specifier !name body: (_)) declarator: (type_identifier) @name) @definition.union
(type_definition type: (enum_specifier !name body: (_)) declarator: (type_identifier) @name) @definition.enum
(namespace_definition name: (_) @name) @definition.namespace
(concept_definition name: (_) @name) @definition.concept
(alias_declaration name: (_) @name) @definition.type

; a name may stand behind up to two pointers or references
(function_definition
  declarator: [
    (function_declarator
      declarator: [(identifier) (field_identifier) (operator_name) (destructor_name)] @name)
    (_ (function_declarator
      declarator: [(identifier) (field_identifier) (operator_name) (destructor_name)] @name))
    (_ (_ (function_declarator
      declarator: [(identifier) (field_identifier) (operator_name) (destructor_name)] @name)))
  ]) @definition.function
(function_definition declarator: (operator_cast "operator" @name)) @definition.function
(function_definition
  declarator: [
    (function_declarator declarator: (qualified_identifier) @name)
    (_ (function_declarator declarator: (qualified_identifier) @name))
    (_ (_ (function_declarator declarator: (qualified_identifier) @name)))
  ]) @definition.method
(function_definition declarator: (qualified_identifier name: (operator_cast)) @name) @definition.method
(declaration declarator: (init_declarator declarator: (identifier) @name value: (lambda_expression))) @definition.function

(template_declaration parameters: (_) @lead)
(requires_clause) @lead
