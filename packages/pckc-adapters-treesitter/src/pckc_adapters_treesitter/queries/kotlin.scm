(class_declaration "interface" name: (_) @name) @definition.interface
(class_declaration (modifiers (class_modifier "enum")) name: (_) @name) @definition.enum
(class_declaration name: (_) @name) @definition.class
(object_declaration name: (_) @name) @definition.object
(companion_object "companion" @name) @definition.object
(function_declaration name: (_) @name) @definition.function
(secondary_constructor "constructor" @name) @definition.method
(type_alias type: (_) @name) @definition.type
