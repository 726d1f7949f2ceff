import { COUPON_CREATED, COUPON_REDEEMED } from './coupon';
import { ENROLLMENT_CHANGED, ENROLLMENT_SYNC } from './enrollment';
import type { EventDefinition } from './event-definition';
import { PAYMENT_RECEIVED } from './payment-received';
import { POSTBACK_DELIVERED, POSTBACK_FAILED } from './postback';
import { SALE_COMPLETED, SALE_REVOKED } from './sale';

/** A topic's place in the platform: who may publish it, who handles it, and how wide it is. */
export interface TopicTopology {
  readonly event: EventDefinition<object>;
  readonly publishers: readonly string[];
  readonly consumers: readonly string[];
  readonly partitions: number;
}

const topic = <T extends object>(
  event: EventDefinition<T>,
  publishers: readonly string[],
  consumers: readonly string[],
): TopicTopology => ({ event: event as unknown as EventDefinition<object>, publishers, consumers, partitions: 6 });

/** Every topic of the platform. Each also has a `<topic>.dlq`, of one partition, for what could not be handled. */
export const TOPOLOGY: readonly TopicTopology[] = [
  topic(PAYMENT_RECEIVED, ['webhook-ingest'], ['partner-gateway', 'voucher-service']),
  topic(SALE_COMPLETED, ['partner-gateway'], ['postback-dispatcher']),
  topic(SALE_REVOKED, ['partner-gateway'], []),
  topic(POSTBACK_DELIVERED, ['postback-dispatcher'], []),
  topic(POSTBACK_FAILED, ['postback-dispatcher'], []),
  topic(COUPON_CREATED, ['voucher-service'], []),
  topic(COUPON_REDEEMED, ['voucher-service'], []),
  topic(ENROLLMENT_SYNC, ['webhook-ingest'], ['idp-api']),
  topic(ENROLLMENT_CHANGED, ['idp-api'], []),
];

/** The dead-letter topic of a topic. */
export const deadLetterTopicOf = (topic: string): string => `${topic}.dlq`;
