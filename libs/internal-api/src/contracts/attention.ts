import { type Environment, ENVIRONMENTS } from '@tandem/contracts';
import { EnumField, IntegerField, ListField, ObjectField, TextField } from '@tandem/http-api';
import { DeadLetterView } from './dead-letters';

/** `GET`: 200 {@link DispatcherAttention}. */
export const attentionPath = (): string => '/internal/attention';

/** Counts end here: a higher one changes nothing for the person who acts. */
export const MAX_ATTENTION = 100;
/** How many of each are shown. */
export const ATTENTION_SHOWN = 5;

const Count = (description: string): PropertyDecorator => IntegerField({ min: 0, max: MAX_ATTENTION, description });

/** Whose endpoint needs a person. */
export class EndpointOwner {
  @TextField({ example: 'ptn_7c9e6679742540de944be07fc1f90ae7' })
  partnerId!: string;

  @EnumField(ENVIRONMENTS, { example: 'live' })
  environment!: Environment;
}

export class DisabledEndpoint extends EndpointOwner {
  @TextField({ nullable: true, example: 'endpoint gone', description: 'Why it is disabled' })
  reason!: string | null;
}

export class DisabledEndpoints {
  @Count('At most 100')
  count!: number;

  @ListField(() => DisabledEndpoint, { description: 'The first five, the latest change first' })
  items!: DisabledEndpoint[];
}

export class FailedPostbacksOfEndpoint extends EndpointOwner {
  @Count('Of this endpoint')
  count!: number;
}

export class FailedPostbacks {
  @Count('Of the newest 1,000 that failed, those whose sale was not paid back; at most 100')
  count!: number;

  @ListField(() => FailedPostbacksOfEndpoint, { description: 'The first five endpoints, the one with the most first' })
  items!: FailedPostbacksOfEndpoint[];
}

export class OpenDeadLetterCount {
  @Count('At most 100')
  count!: number;

  @ListField(() => DeadLetterView, { description: 'The newest five, newest first' })
  items!: DeadLetterView[];
}

/** What of postback-dispatcher needs a person: live endpoints, and events that it could not handle. */
export class DispatcherAttention {
  @ObjectField(() => DisabledEndpoints)
  disabledEndpoints!: DisabledEndpoints;

  @ObjectField(() => FailedPostbacks)
  failedPostbacks!: FailedPostbacks;

  @ObjectField(() => OpenDeadLetterCount)
  deadLetters!: OpenDeadLetterCount;
}
