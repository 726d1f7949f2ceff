import { KnownParametersOnly, ListField, TextField, TimeField } from '@tandem/http-api';

/** `GET` with {@link FindDeadLetters}: 200 {@link OpenDeadLetters}. */
export const deadLettersPath = (): string => '/internal/dead-letters';

/** Selects the dead letters that concern one sale. */
@KnownParametersOnly()
export class FindDeadLetters {
  @TextField({ min: 1, max: 255, storable: true, description: 'The `oid` of the sale that the events concern' })
  key!: string;
}

/** An event that an app could not handle and that was not replayed. */
export class DeadLetterView {
  @TextField({ example: 'postback-dispatcher', description: 'The app that could not handle the event' })
  app!: string;

  @TextField({ example: '17', description: 'The id of the dead letter in that app' })
  id!: string;

  @TextField({ example: 'sale.completed' })
  topic!: string;

  @TextField({ example: 'data.amount must be a decimal number' })
  reason!: string;

  @TimeField()
  failedAt!: string;
}

export class OpenDeadLetters {
  @ListField(() => DeadLetterView, { description: 'The newest ten of each topic, newest first' })
  items!: DeadLetterView[];
}
