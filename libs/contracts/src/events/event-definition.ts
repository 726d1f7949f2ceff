/**
 * One kind of event: its topic, the class that describes and validates its data, and the entity whose events are kept
 * in order. Publishers and consumers use the same definition, so the two sides cannot diverge.
 */
export interface EventDefinition<T extends object> {
  /** Kafka topic, and the CloudEvents `type`. */
  readonly topic: string;
  /** class-validator class of the event's data. */
  readonly data: new () => T;
  /**
   * Returns the id of the entity whose events are kept in order: the message key and the CloudEvents `subject`.
   */
  readonly keyOf: (data: T) => string;
}
