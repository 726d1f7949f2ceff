import { rule, type Section } from './rule';

const deliver = (title: string): string => `deliver-sale.int.spec.ts › sale.completed › ${title}`;
const retry = (title: string): string => `retry-sale.int.spec.ts › a postback that is not delivered at once › ${title}`;
const paused = (title: string): string => `expiry.int.spec.ts › a delivery of a paused endpoint › ${title}`;
const attempt = (title: string): string => `attempt.int.spec.ts › one attempt › ${title}`;
const DEFAULTS = 'postback-dispatcher/test/documented-defaults.spec.ts › * › %s is %s';
const FIELDS = deliver('sends exactly the fields of the partner interface, in its order');
const SALE =
  'payment-received.int.spec.ts › payment.received › a qualifying sale › is published with exactly what the postback needs';
const ITEMS = 'sale.rules.spec.ts › purchaseFacts › writes items in the form of the postback';

/** The request that a partner gets, and what happens when it is not taken. */
export const POSTBACK: Section = {
  title: 'The postback',
  rules: [
    rule(
      'postback-body.fields',
      'A `POST` of JSON with exactly the fields of the interface and no others.',
      FIELDS,
      'delivery.rules.spec.ts › * › has the fields of the partner interface, in its order, and no others',
    ),
    rule(
      'postback-body.oid',
      '`oid` is the subscription’s id, and is what revoking takes.',
      SALE,
      'revoke-sale.int.spec.ts › * › revokes a qualified sale and publishes sale.revoked',
    ),
    rule(
      'postback-body.shared-id',
      '`sharedId` is the `ref_id` of the checkout URL, else `data4`, else `""`.',
      SALE,
      'attribution.rules.spec.ts › attribute › with ref %p and data4 %p shares %p',
    ),
    rule(
      'postback-body.email-masked',
      '`emailMasked`: first character, `***`, last character of the local part, `@domain`; a local part of up to 2 characters gives `***@domain`.',
      'customer-email.spec.ts › maskEmail › masks %j as %j',
    ),
    rule('postback-body.currency', '`currency` is the currency’s code.', FIELDS, SALE),
    rule(
      'postback-body.price',
      '`items[].price` is a string with exactly 2 decimals, for every currency.',
      SALE,
      ITEMS,
      'money.rules.spec.ts › withTwoDecimals › writes %s as %s',
    ),
    rule(
      'postback-body.quantity',
      '`items[].quantity` is a string, `1` when the sale does not say.',
      ITEMS,
      'webhook-ingest/test/payment-webhook.int.spec.ts › POST /idp/payments/webhook › leaves out what the webhook left out or sent as null, and takes 1 for the quantity',
    ),
    rule('postback-body.category', '`items[].category` is the product’s description.', SALE, FIELDS),
    rule('postback-body.tier', '`items[].tier` is `""` when there is none.', SALE),
    rule('postback-body.sku', '`items[].sku` is `Sell`.', SALE),
    rule(
      'postback-headers.own',
      '`Authorization: Bearer <key>` or `Basic <base64>`, `Content-Type: application/json`, `User-Agent`.',
      FIELDS,
      attempt('sends Basic keys in base64 of their UTF-8'),
    ),
    rule(
      'postback-headers.standard-webhooks',
      'Beside them the headers of Standard Webhooks, so that the partner can verify.',
      deliver('is signed so that a Standard Webhooks library accepts it'),
    ),
    rule(
      'postback-headers.id',
      '`webhook-id` is the same over retries; timestamp and signature are fresh for each attempt.',
      retry('is sent again under the same webhook-id, freshly signed each time'),
    ),
    rule(
      'postback-headers.verifiable',
      'A partner verifies them in Node, Python, PHP or Go with what comes with the language.',
      'verify-postback.spec.ts › the sample in %s › takes what the platform signed',
      'verify-postback.spec.ts › the sample in %s › takes what the standardwebhooks library signed',
      'verify-postback.spec.ts › the sample in %s › refuses %s',
      'verify-postback.spec.ts › the sample in %s › does not start without a usable %s, and says what it is',
    ),
    rule('delivery.success', 'Success is any 2xx.', attempt('succeeds with %d'), attempt('fails with %d')),
    rule(
      'delivery.timeout',
      'Within 15 s, the body included.',
      attempt('ends an endpoint that hangs'),
      attempt('ends a body that drips, although the status was good'),
      DEFAULTS,
    ),
    rule('delivery.connect-timeout', 'The connection within 5 s.', DEFAULTS, attempt('names a refused connection')),
    rule(
      'delivery.redirects',
      'Redirects are not followed.',
      attempt('fails with %d'),
      'ssrf-table.spec.ts › the SSRF guard › does not follow a redirect to a private address',
    ),
    rule(
      'delivery.response-kept',
      'The first 2 kB of the answer are kept, the rest is not read.',
      attempt('reads 2 kB of a body of 50 MB, and cuts the rest'),
      attempt('keeps a body of exactly 2 kB whole'),
    ),
    rule(
      'delivery.schedule',
      '10 attempts: 0, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h.',
      DEFAULTS,
      'retry.rules.spec.ts › the wait before the next attempt › after attempt %d is %d s, 10 %% more or less',
      'retry.rules.spec.ts › the wait before the next attempt › ends after 10 attempts',
      retry('is given up after the last attempt of the schedule'),
    ),
    rule(
      'delivery.jitter',
      'Each wait is up to 10 % shorter or longer.',
      'retry.rules.spec.ts › the wait before the next attempt › after attempt %d is %d s, 10 %% more or less',
    ),
    rule(
      'delivery.retry-after',
      '`Retry-After` is honoured up to 24 h, and never undercut.',
      'retry.rules.spec.ts › Retry-After › %j is %j ms',
      'retry.rules.spec.ts › the wait before the next attempt › is never shorter than the endpoint asked for',
      retry('waits as long as Retry-After asks, and so do the other messages of the endpoint'),
    ),
    rule(
      'delivery.slows-endpoint',
      '429, 502, 503 and 504 slow the endpoint, not only the message.',
      'breaker.rules.spec.ts › * › slows the endpoint at once for %d',
      'breaker.rules.spec.ts › * › does not slow it at once for %d',
      retry('waits as long as Retry-After asks, and so do the other messages of the endpoint'),
    ),
    rule(
      'delivery.gone',
      '410 disables the configuration.',
      retry('disables the configuration when the endpoint is gone, and holds what was not sent'),
    ),
    rule(
      'delivery.exhausted',
      '20 messages in a row that used up all attempts disable it.',
      retry('disables the configuration after so many exhausted messages in a row, and a save enables it again'),
      retry('starts counting anew after a delivered message'),
      DEFAULTS,
    ),
    rule(
      'delivery.paused-ends',
      'A paused endpoint costs its deliveries no attempt, but one that could not be tried until 24 h after its last planned attempt is `failed`.',
      paused(
        'that could not be tried until long after its last planned attempt is failed, with the attempts that it had',
      ),
      paused('is sent, however old it is, when the endpoint answers'),
      DEFAULTS,
    ),
    rule(
      'delivery.failing-disables',
      'An endpoint without a success for 5 days and with 20 exhausted in a row is disabled.',
      paused('disables the configuration with the others, when there was no success for so long'),
      DEFAULTS,
    ),
    rule(
      'delivery.held',
      'Events of a disabled configuration are kept as `held`.',
      retry('disables the configuration when the endpoint is gone, and holds what was not sent'),
      retry('holds what was waiting for its retry when the endpoint is gone'),
    ),
    rule(
      'delivery.enabled-again',
      'A `POST` of the configuration enables it again.',
      retry('disables the configuration after so many exhausted messages in a row, and a save enables it again'),
    ),
    rule(
      'delivery.current-configuration',
      'Each attempt uses the current URL and key.',
      retry('is sent to the URL and with the key that were saved last'),
    ),
  ],
};
