import { COUPON_CREATED, COUPON_REDEEMED } from '../events/coupon';
import { ENROLLMENT_CHANGED, ENROLLMENT_SYNC } from '../events/enrollment';
import { PAYMENT_RECEIVED } from '../events/payment-received';
import { POSTBACK_DELIVERED, POSTBACK_FAILED } from '../events/postback';
import { SALE_COMPLETED, SALE_REVOKED } from '../events/sale';

/** One event in words, for the documents that people read. */
export interface EventDescription {
  readonly summary: string;
  /** What the message key is: messages of one key keep their order. */
  readonly key: string;
}

/** By topic. */
export const DESCRIPTIONS: Readonly<Record<string, EventDescription>> = {
  [PAYMENT_RECEIVED.topic]: {
    summary: 'The billing provider said that something happened to a subscription or a coupon.',
    key: 'subscriptionId',
  },
  [SALE_COMPLETED.topic]: { summary: 'A sale qualified for its partner. Once for an oid.', key: 'oid' },
  [SALE_REVOKED.topic]: { summary: 'A partner took a qualified sale back. Once for an oid.', key: 'oid' },
  [POSTBACK_DELIVERED.topic]: { summary: "A partner's endpoint accepted the postback of a sale.", key: 'oid' },
  [POSTBACK_FAILED.topic]: {
    summary: 'A postback was given up: no attempt is left, or the endpoint is gone.',
    key: 'oid',
  },
  [COUPON_CREATED.topic]: { summary: 'A partner made coupons. One event for a batch.', key: 'voucherGroupId' },
  [COUPON_REDEEMED.topic]: { summary: 'A customer paid with a coupon. Once for a coupon.', key: 'voucherGroupId' },
  [ENROLLMENT_SYNC.topic]: {
    summary: 'What a user is to be enrolled in at the identity vendor may have changed.',
    key: 'krn, or subscriptionId where the user is not known',
  },
  [ENROLLMENT_CHANGED.topic]: {
    summary: "A user's enrollment became active or inactive at the identity vendor.",
    key: 'krn',
  },
};

/** @throws Error for an event that nobody described */
export function descriptionOf(topic: string): EventDescription {
  const description = DESCRIPTIONS[topic];
  if (!description) throw new Error(`${topic} has no description: add it to documents/descriptions.ts`);
  return description;
}
