(class_definition name: (_) @name) @definition.class
(object_definition name: (_) @name) @definition.object
(package_object name: (_) @name) @definition.object
(trait_definition name: (_) @name) @definition.trait
(enum_definition name: (_) @name) @definition.enum
(given_definition name: (_) @name) @definition.object
(type_definition name: (_) @name) @definition.type
(extension_definition parameters: (parameters (parameter type: (_) @name))) @definition.extension
(function_definition name: (_) @name) @definition.function
(function_declaration name: (_) @name) @definition.function
(val_definition pattern: (identifier) @name value: (lambda_expression)) @definition.function
