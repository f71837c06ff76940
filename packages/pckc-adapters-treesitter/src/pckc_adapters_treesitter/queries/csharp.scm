(namespace_declaration name: (_) @name) @definition.namespace
(class_declaration name: (_) @name) @definition.class
(struct_declaration name: (_) @name) @definition.struct
(record_declaration name: (_) @name) @definition.record
(interface_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.enum
(delegate_declaration name: (_) @name) @definition.delegate
(method_declaration name: (_) @name) @definition.method
(constructor_declaration name: (_) @name) @definition.method
(destructor_declaration name: (_) @name) @definition.method
(operator_declaration "operator" @name) @definition.method
(conversion_operator_declaration "operator" @name) @definition.method
(indexer_declaration "this" @name) @definition.property
(property_declaration name: (_) @name value: (arrow_expression_clause)) @definition.property
(property_declaration name: (_) @name accessors: (accessor_list (accessor_declaration body: (_)))) @definition.property
(local_function_statement name: (_) @name) @definition.function
