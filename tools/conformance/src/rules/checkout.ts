import { rule, type Section } from './rule';

const create = (title: string): string =>
  `create-checkout-url.int.spec.ts › GET /partner/subscription/create-checkout-url › ${title}`;
const SIGNED = create('answers a signed URL that carries the reference, the discount and 24 hours of life');

/** Making a checkout URL. */
export const CHECKOUT: Section = {
  title: 'Checkout URLs',
  rules: [
    rule(
      'checkout.ref-id',
      '`ref_id` is optional; `refId` is null without it.',
      create('has no data4 and a null refId without ref_id'),
    ),
    rule(
      'checkout.ref-id-form',
      '`ref_id` is 1–200 printable characters, else, also when empty, 422.',
      create('refuses ?%s'),
      'ref-id.rules.spec.ts › isRefId › takes %p',
      'ref-id.rules.spec.ts › isRefId › refuses %p',
    ),
    rule('checkout.ref-id-exact', '`ref_id` is kept exactly.', create('keeps %p exactly')),
    rule(
      'checkout.optional',
      '`plan`, `currency` (ISO 4217) and `locale` are optional.',
      SIGNED,
      create('refuses ?%s'),
    ),
    rule('checkout.answer', '200 `{"checkoutUrl","refId","discount":{"id","percentOff"},"expiresAt"}`.', SIGNED),
    rule('checkout.no-store', '`Cache-Control: no-store`.', SIGNED),
    rule(
      'checkout.signed',
      'The URL is stateless and signed: partner, reference, discount and expiry are in its token.',
      SIGNED,
      'checkout-token.spec.ts › checkout tokens › come back as they were signed',
      'checkout-token.spec.ts › checkout tokens › are refused when any character is changed',
      'checkout-token.spec.ts › checkout tokens › stay good while their key is among the older ones, and not after',
    ),
    rule(
      'checkout.life',
      'It lives 24 h.',
      SIGNED,
      'checkout-token.spec.ts › checkout tokens › are over at the second of their expiry',
    ),
    rule('checkout.writes-nothing', 'The GET writes nothing.', create('writes nothing')),
    rule(
      'checkout.url',
      'The URL is `{CHECKOUT_BASE_URL}?checkout=<signed token>&data4=<ref_id>`, plus plan, currency, locale.',
      SIGNED,
      create('has no data4 and a null refId without ref_id'),
    ),
  ],
};
