import { ApiSchema } from '@nestjs/swagger';
import { EnumField, IdField, IntegerField, KnownParametersOnly, TimeField } from '@tandem/http-api';
import { DELIVERY_STATUSES, postbackDeliveriesPath } from './postback-deliveries';

/* Internal HTTP for replays, between partner-gateway (caller) and postback-dispatcher: see postback-deliveries.ts. */

/** `POST`: 202 {@link ReplayedPostbackDelivery}. */
export const postbackReplayPath = (partnerId: string, environment: string, deliveryId: string): string =>
  `${postbackDeliveriesPath(partnerId, environment)}/${encodeURIComponent(deliveryId)}/replay`;

/**
 * `POST` with {@link ReplayPostbackDeliveries}: 202 {@link ReplayedPostbackDeliveries}. `GET` with
 * {@link CountPostbackReplay}: 200 {@link PostbackReplayCount}. Counting is not a parameter of the `POST`: an app of an
 * older version would ignore such a parameter, and send the deliveries.
 */
export const postbackRangeReplayPath = (partnerId: string, environment: string): string =>
  `${postbackDeliveriesPath(partnerId, environment)}/replay`;

/** The statuses by which a replay of a range selects deliveries. `all`: every status except `pending`, because pending deliveries are sent anyway. */
export const REPLAY_STATUSES = [...DELIVERY_STATUSES, 'all'] as const;
export type ReplayStatus = (typeof REPLAY_STATUSES)[number];

const FROM = { description: 'ISO 8601 with a zone. Includes deliveries created at this time or later' };
const TO = { description: 'Includes deliveries created before this time, at most 90 days after `from`' };
const ALL = '`all`: also those that were delivered';

/** A request to replay the deliveries that were created in a time range. */
@ApiSchema({ name: 'ReplayRangeBody' })
export class ReplayPostbackDeliveries {
  @TimeField(FROM)
  from!: string;

  @TimeField(TO)
  to!: string;

  @EnumField(REPLAY_STATUSES, {
    optional: true,
    nullable: true,
    description: `Omitted or null: the deliveries that were not delivered, \`failed\` and \`held\`. ${ALL}`,
  })
  status?: ReplayStatus | null;
}

/** The query for the number of deliveries that a {@link ReplayPostbackDeliveries} with the same fields would send. */
@KnownParametersOnly()
export class CountPostbackReplay {
  @TimeField(FROM)
  from!: string;

  @TimeField(TO)
  to!: string;

  @EnumField(REPLAY_STATUSES, {
    optional: true,
    description: `Omitted: the deliveries that were not delivered, \`failed\` and \`held\`. ${ALL}`,
  })
  status?: ReplayStatus;
}

@ApiSchema({ name: 'ReplayCountDto' })
export class PostbackReplayCount {
  @IntegerField({ min: 0, example: 42, description: 'Number of deliveries that a replay would send now' })
  count!: number;
}

@ApiSchema({ name: 'ReplayedDeliveryDto' })
export class ReplayedPostbackDelivery {
  @IdField()
  id!: string;
}

@ApiSchema({ name: 'ReplayedDeliveriesDto' })
export class ReplayedPostbackDeliveries {
  @IntegerField({ min: 0, example: 42, description: 'Number of deliveries that are sent again' })
  count!: number;
}
