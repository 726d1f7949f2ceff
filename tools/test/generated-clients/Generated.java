package javax.annotation;

/** The annotation that generated code has. Java itself has not contained it since version 11. */
public @interface Generated {
  String[] value();

  String comments() default "";
}
