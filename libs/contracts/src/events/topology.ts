import { ALERT_CREATED } from './alert';
import { COUPON_CREATED, COUPON_REDEEMED } from './coupon';
import { ENROLLMENT_CHANGED, ENROLLMENT_SYNC } from './enrollment';
import type { EventDefinition } from './event-definition';
import { IDENTITY_EVENT } from './identity';
import { PARTNER_CHANGED } from './partner';
import { PAYMENT_RECEIVED } from './payment-received';
import { POSTBACK_DELIVERED, POSTBACK_FAILED } from './postback';
import { SALE_CLOSED, SALE_COMPLETED, SALE_REVOKED } from './sale';

export * from './alert';
export * from './coupon';
export * from './enrollment';
export * from './identity';
export * from './partner';
export * from './payment-received';
export * from './postback';
export * from './sale';

/**
 * The apps that may publish a topic's event, the apps that handle it, and the topic's number of partitions.
 */
export interface TopicTopology {
  readonly event: EventDefinition<object>;
  readonly publishers: readonly string[];
  readonly consumers: readonly string[];
  readonly partitions: number;
}

/** The description of an event, for the documents that people read. */
export interface EventDescription {
  readonly summary: string;
  /** The field that is the message key: messages of one key keep their order. */
  readonly key: string;
}

/** Returns the row of a topic with six partitions. The apps in `from` publish the event, and the apps in `to` handle it. */
const topic = <T extends object>(
  event: EventDefinition<T>,
  { from, to = [], ...description }: { from: string | readonly string[]; to?: readonly string[] } & EventDescription,
): TopicTopology & EventDescription => ({
  event: event as unknown as EventDefinition<object>,
  publishers: [from].flat(),
  consumers: to,
  partitions: 6,
  ...description,
});

/**
 * Every topic of the platform. Each topic also has a dead-letter topic `<topic>.dlq`, with one partition, for events
 * that could not be handled.
 */
export const TOPOLOGY: readonly (TopicTopology & EventDescription)[] = [
  topic(PAYMENT_RECEIVED, {
    from: 'webhook-ingest',
    to: ['partner-gateway', 'voucher-service'],
    summary: 'The billing provider said that something happened to a subscription or a coupon.',
    key: 'subscriptionId',
  }),
  topic(SALE_COMPLETED, {
    from: 'partner-gateway',
    to: ['postback-dispatcher'],
    summary: 'A sale qualified for its partner. At most one event for each oid.',
    key: 'oid',
  }),
  topic(SALE_REVOKED, {
    from: 'partner-gateway',
    summary: 'A partner revoked a qualified sale. At most one event for each oid.',
    key: 'oid',
  }),
  topic(SALE_CLOSED, {
    from: 'partner-gateway',
    to: ['postback-dispatcher'],
    summary: 'A sale that had qualified was refunded or charged back.',
    key: 'oid',
  }),
  topic(PARTNER_CHANGED, {
    from: 'partner-gateway',
    summary: 'A partner was created, renamed, activated or deactivated.',
    key: 'partnerId',
  }),
  topic(POSTBACK_DELIVERED, {
    from: 'postback-dispatcher',
    summary: "A partner's endpoint accepted the postback of a sale.",
    key: 'oid',
  }),
  topic(POSTBACK_FAILED, {
    from: 'postback-dispatcher',
    summary: 'A postback was abandoned: no attempt is left, or the endpoint is gone.',
    key: 'oid',
  }),
  topic(COUPON_CREATED, {
    from: 'voucher-service',
    summary: 'A partner created coupons. One event for each batch.',
    key: 'voucherGroupId',
  }),
  topic(COUPON_REDEEMED, {
    from: 'voucher-service',
    summary: 'A customer paid with a coupon. At most one event for each coupon.',
    key: 'voucherGroupId',
  }),
  topic(ENROLLMENT_SYNC, {
    from: ['webhook-ingest', 'idp-support'],
    to: ['idp-api'],
    summary: 'The enrollments that a user should have at the identity vendor may have changed.',
    key: 'krn, or subscriptionId where the user is not known',
  }),
  topic(IDENTITY_EVENT, {
    from: 'webhook-ingest',
    to: ['idp-api'],
    summary: 'The identity vendor reported something about a user.',
    key: 'arrayUserId',
  }),
  topic(ENROLLMENT_CHANGED, {
    from: 'idp-api',
    summary: "A user's enrollment became active or inactive at the identity vendor.",
    key: 'krn',
  }),
  topic(ALERT_CREATED, {
    from: 'idp-api',
    summary: 'The identity vendor pushed a new alert about a user. Published once per alert.',
    key: 'krn',
  }),
];

/** Returns the dead-letter topic of a topic. */
export const deadLetterTopicOf = (topic: string): string => `${topic}.dlq`;
