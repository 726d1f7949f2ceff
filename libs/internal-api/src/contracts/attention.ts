import { type Environment, ENVIRONMENTS } from '@tandem/contracts';
import { EnumField, IntegerField, ListField, ObjectField, TextField, TimeField } from '@tandem/http-api';
import { DeadLetterView } from './dead-letters';

/** `GET`: 200 {@link DispatcherAttention}. */
export const attentionPath = (): string => '/internal/attention';

/** The highest number that the answer reports: whether there are 100 items or more makes no difference to the reader. */
export const MAX_ATTENTION = 100;
/** The maximum number of items of each kind in the answer. */
export const ATTENTION_SHOWN = 5;

const Count = (description: string): PropertyDecorator => IntegerField({ min: 0, max: MAX_ATTENTION, description });

/** The owner of an endpoint that needs attention. */
export class EndpointOwner {
  @TextField({ example: 'ptn_7c9e6679742540de944be07fc1f90ae7' })
  partnerId!: string;

  @EnumField(ENVIRONMENTS, { example: 'live' })
  environment!: Environment;
}

export class DisabledEndpoint extends EndpointOwner {
  @TextField({ nullable: true, example: 'endpoint gone', description: 'Why the endpoint is disabled' })
  reason!: string | null;
}

export class DisabledEndpoints {
  @Count('At most 100')
  count!: number;

  @ListField(() => DisabledEndpoint, {
    description:
      'At most five, sorted by the endpoint’s last change or the first of its current failures in a row, whichever is later; newest first',
  })
  items!: DisabledEndpoint[];
}

export class PausedEndpoint extends EndpointOwner {
  @TimeField({ description: 'When the failures began. No attempt has succeeded since' })
  failingSince!: string;
}

export class PausedEndpoints {
  @Count('At most 100')
  count!: number;

  @ListField(() => PausedEndpoint, { description: 'The five that have failed for the longest time, longest first' })
  items!: PausedEndpoint[];
}

export class FailingEndpoint extends EndpointOwner {
  @Count('Deliveries older than 15 seconds whose last attempt failed and which will be retried')
  failing!: number;

  @Count('All deliveries that are still to be sent, including those that are failing')
  pending!: number;
}

export class FailingEndpoints {
  @Count('At most 100')
  count!: number;

  @ListField(() => FailingEndpoint, {
    description: 'The five endpoints with the most failing deliveries, highest count first',
  })
  items!: FailingEndpoint[];
}

export class FailedPostbacksOfEndpoint extends EndpointOwner {
  @Count('Failed postbacks to this endpoint')
  count!: number;
}

export class FailedPostbacks {
  @Count(
    'At most 100, counted among the newest 1,000 failures of the last 7 days, without sales that were refunded or charged back',
  )
  count!: number;

  @ListField(() => FailedPostbacksOfEndpoint, {
    description: 'The five endpoints with the most failures, highest count first',
  })
  items!: FailedPostbacksOfEndpoint[];
}

export class HeldPostbacksOfEndpoint extends EndpointOwner {
  @Count('Held postbacks for this endpoint')
  count!: number;

  @EnumField(['missing', 'disabled', 'active'], {
    optional: true,
    example: 'active',
    description:
      'The state of the endpoint now. `active`: a replay sends the held postbacks. Missing in the answer of an older version',
  })
  endpoint?: 'missing' | 'disabled' | 'active';
}

export class HeldPostbacks {
  @Count('At most 100, counted among the newest 1,000 held postbacks of the last 7 days')
  count!: number;

  @ListField(() => HeldPostbacksOfEndpoint, {
    description: 'The five endpoints with the most held postbacks, highest count first',
  })
  items!: HeldPostbacksOfEndpoint[];
}

export class OpenDeadLetterCount {
  @Count('At most 100')
  count!: number;

  @ListField(() => DeadLetterView, { description: 'The newest five, newest first' })
  items!: DeadLetterView[];
}

/** What needs attention in postback-dispatcher: live endpoints, and events that postback-dispatcher could not handle. */
export class DispatcherAttention {
  @ObjectField(() => DisabledEndpoints)
  disabledEndpoints!: DisabledEndpoints;

  @ObjectField(() => PausedEndpoints, { optional: true, description: 'Missing in the answer of an older version' })
  pausedEndpoints?: PausedEndpoints;

  @ObjectField(() => FailingEndpoints, { optional: true, description: 'Missing in the answer of an older version' })
  failingEndpoints?: FailingEndpoints;

  @ObjectField(() => HeldPostbacks, { optional: true, description: 'Missing in the answer of an older version' })
  heldPostbacks?: HeldPostbacks;

  @ObjectField(() => FailedPostbacks)
  failedPostbacks!: FailedPostbacks;

  @ObjectField(() => OpenDeadLetterCount)
  deadLetters!: OpenDeadLetterCount;
}
