import { rule, type Section } from './rule';

/** Creating a checkout URL. */
export const CHECKOUT: Section = {
  title: 'Checkout URLs',
  rules: [
    rule('checkout.ref-id', '`ref_id` is optional; `refId` is null without it.'),
    rule(
      'checkout.ref-id-form',
      '`ref_id` is 1–200 printable characters; anything else, including an empty value, is 422.',
    ),
    rule('checkout.ref-id-exact', '`ref_id` is stored unchanged.'),
    rule('checkout.optional', '`plan`, `currency` (ISO 4217) and `locale` are optional.'),
    rule('checkout.answer', '200 `{"checkoutUrl","refId","discount":{"id","percentOff"},"expiresAt"}`.'),
    rule('checkout.no-store', '`Cache-Control: no-store`.'),
    rule(
      'checkout.signed',
      'The URL is stateless and signed: partner, reference, discount and expiry are in its token.',
    ),
    rule('checkout.life', 'It is valid for 24 h.'),
    rule('checkout.writes-nothing', 'The GET writes nothing.'),
    rule(
      'checkout.url',
      'The URL is `{CHECKOUT_BASE_URL}?checkout=<signed token>&data4=<ref_id>`, plus plan, currency, locale.',
    ),
  ],
};
