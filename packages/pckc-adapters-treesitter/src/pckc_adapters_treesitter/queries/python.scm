(class_definition name: (_) @name) @definition.class
(function_definition name: (_) @name) @definition.function
(decorated_definition definition: (class_definition name: (_) @name)) @definition.class
(decorated_definition definition: (function_definition name: (_) @name)) @definition.function
(type_alias_statement left: (type [(identifier) @name (generic_type . (identifier) @name)])) @definition.type
