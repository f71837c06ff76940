(module name: (_) @name) @definition.module
(class name: (_) @name) @definition.class
(method name: (_) @name) @definition.method
(singleton_method name: (_) @name) @definition.method
(assignment
  left: (constant) @name
  right: (call block: (_ (body_statement [(method) (singleton_method)])))) @definition.class
