(class_declaration declaration_kind: "class" name: (_) @name) @definition.class
(class_declaration declaration_kind: "struct" name: (_) @name) @definition.struct
(class_declaration declaration_kind: "enum" name: (_) @name) @definition.enum
(class_declaration declaration_kind: "actor" name: (_) @name) @definition.actor
(class_declaration declaration_kind: "extension" name: (_) @name) @definition.extension
(protocol_declaration name: (_) @name) @definition.protocol
(function_declaration name: (simple_identifier) @name) @definition.function
(protocol_function_declaration name: (simple_identifier) @name) @definition.method
(init_declaration "init" @name) @definition.method
(deinit_declaration "deinit" @name) @definition.method
(subscript_declaration "subscript" @name) @definition.property
(property_declaration name: (pattern bound_identifier: (_) @name) computed_value: (_)) @definition.property
(typealias_declaration name: (type_identifier) @name) @definition.type
