package javax.annotation;

/** The annotation of generated code, which is not in Java itself since version 11. */
public @interface Generated {
  String[] value();

  String comments() default "";
}
