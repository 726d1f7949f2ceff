import { rule, type Section } from './rule';

/** The request to a partner, and its retries. */
export const POSTBACK: Section = {
  title: 'The postback',
  rules: [
    rule(
      'postback-body.fields',
      'A postback is a `POST` of JSON with exactly the fields of the specification and no others.',
    ),
    rule('postback-body.oid', '`oid` is the subscription’s id, by which the sale is revoked.'),
    rule(
      'postback-body.shared-id',
      '`sharedId` is the `ref_id` of the checkout URL; without one, `data4`; with neither, `""`.',
    ),
    rule(
      'postback-body.email-masked',
      '`emailMasked` is the first character of the local part, `***`, the last character of the local part, and `@domain`. If the local part has at most 2 characters, `emailMasked` is `***@domain`.',
    ),
    rule('postback-body.currency', '`currency` is the currency’s code.'),
    rule('postback-body.price', '`items[].price` is a string with exactly 2 decimals, for every currency.'),
    rule('postback-body.quantity', '`items[].quantity` is a string, `1` when the sale states no quantity.'),
    rule('postback-body.category', '`items[].category` is the product’s description.'),
    rule('postback-body.tier', '`items[].tier` is `""` when the product has no tier.'),
    rule('postback-body.sku', '`items[].sku` is always `Sell`.'),
    rule(
      'postback-headers.own',
      'A postback has the headers `Authorization: Bearer <key>` or `Authorization: Basic <base64>`, `Content-Type: application/json` and `User-Agent`.',
    ),
    rule(
      'postback-headers.standard-webhooks',
      'The headers of Standard Webhooks are sent as well, so that the partner can verify the request.',
    ),
    rule(
      'postback-headers.id',
      '`webhook-id` is the same for all attempts of a delivery; timestamp and signature are new for each attempt.',
    ),
    rule(
      'postback-headers.verifiable',
      'A partner can verify the headers of Standard Webhooks in Node, Python, PHP or Go with the standard library.',
    ),
    rule('delivery.success', 'An attempt succeeds if the answer is any 2xx.'),
    rule('delivery.timeout', 'An attempt takes at most 15 s, including the body of the answer.'),
    rule('delivery.connect-timeout', 'Connecting takes at most 5 s.'),
    rule('delivery.redirects', 'Redirects are not followed.'),
    rule('delivery.response-kept', 'The first 2 KiB of the answer’s body are kept; more than that is not read.'),
    rule(
      'delivery.schedule',
      'A delivery has 10 attempts. The waits before them are 0, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h.',
    ),
    rule('delivery.jitter', 'Each wait is up to 10 % shorter or longer.'),
    rule(
      'delivery.retry-after',
      '`Retry-After` is obeyed: the next attempt is made no earlier than it says. A time of more than 24 h counts as 24 h.',
    ),
    rule('delivery.slows-endpoint', 'An answer 429, 502, 503 or 504 pauses the whole endpoint, not only the delivery.'),
    rule('delivery.gone', 'An answer 410 disables the configuration.'),
    rule('delivery.exhausted', 'A configuration is disabled when 20 deliveries in a row have used up all attempts.'),
    rule(
      'delivery.paused-ends',
      'A pause uses up no attempts. A delivery whose endpoint is still paused 24 h after the planned time of the delivery’s last attempt becomes `failed`.',
    ),
    rule(
      'delivery.failing-disables',
      'An endpoint is disabled when 20 deliveries in a row have failed. If the last of them used up its attempts, the endpoint is disabled immediately. If the last of them expired during a pause, the endpoint is disabled only after the endpoint has been failing for 5 days.',
    ),
    rule('delivery.held', 'Deliveries of a disabled configuration are kept as `held`.'),
    rule('delivery.enabled-again', 'A `POST` of the configuration enables it again.'),
    rule('delivery.current-configuration', 'Each attempt uses the current URL and key.'),
  ],
};
