import { rule, type Section } from './rule';

/** Creating a checkout URL. */
export const CHECKOUT: Section = {
  title: 'Checkout URLs',
  rules: [
    rule('checkout.ref-id', '`ref_id` is optional; without `ref_id`, `refId` in the answer is null.'),
    rule(
      'checkout.ref-id-form',
      '`ref_id` is 1–200 printable characters; any other value, including an empty one, gets 422.',
    ),
    rule('checkout.ref-id-exact', '`ref_id` is kept unchanged.'),
    rule('checkout.optional', 'The query parameters `plan`, `currency` (ISO 4217) and `locale` are optional.'),
    rule('checkout.answer', 'The answer is 200 `{"checkoutUrl","refId","discount":{"id","percentOff"},"expiresAt"}`.'),
    rule('checkout.no-store', 'The answer has `Cache-Control: no-store`.'),
    rule(
      'checkout.signed',
      'The checkout URL needs no stored state: its signed token contains partner, reference, discount and expiry.',
    ),
    rule('checkout.life', 'A checkout URL is valid for 24 h.'),
    rule('checkout.writes-nothing', '`GET /partner/subscription/create-checkout-url` writes nothing.'),
    rule(
      'checkout.url',
      'The checkout URL is `{CHECKOUT_BASE_URL}?checkout=<signed token>`, followed by `data4=<ref_id>`, `plan`, `currency` and `locale`, each only if it was given.',
    ),
  ],
};
