(function_item name: (_) @name) @definition.function
(function_signature_item name: (_) @name) @definition.function
(struct_item name: (_) @name) @definition.struct
(enum_item name: (_) @name) @definition.enum
(union_item name: (_) @name) @definition.union
(trait_item name: (_) @name) @definition.trait
(type_item name: (_) @name) @definition.type
(mod_item name: (_) @name body: (_)) @definition.module
(macro_definition name: (_) @name) @definition.macro
(impl_item
  type: [
    (type_identifier) @name
    (primitive_type) @name
    (array_type) @name
    (tuple_type) @name
    (scoped_type_identifier name: (_) @name)
    (generic_type type: [(type_identifier) @name (scoped_type_identifier name: (_) @name)])
    (reference_type type: [(type_identifier) @name (generic_type type: (type_identifier) @name)])
    (dynamic_type trait: [(type_identifier) @name (scoped_type_identifier name: (_) @name)])
  ]) @definition.impl
(attribute_item) @lead
