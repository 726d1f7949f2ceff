import { rule, type Section } from './rule';

/** What comes in from the identity vendor and billing. */
export const WEBHOOKS: Section = {
  title: 'Webhooks',
  rules: [
    rule(
      'webhooks.array-authentication-of-callers',
      '`POST /idp/array/webhook` takes a Standard Webhooks signature with one of two secrets, or a bearer service token with the scope `webhook`.',
    ),
    rule(
      'webhooks.unauthorized',
      'Anything else is 401 `{"error"}`, before the body is looked at; so is a bearer token without the scope.',
    ),
    rule('webhooks.tolerance', 'A signature is good for 5 minutes, both ways.'),
    rule('webhooks.addresses', 'With a list of addresses only these may call.'),
    rule(
      'webhooks.outage',
      '200 only after a durable write; storage down 503 with `Retry-After`, and a retry succeeds.',
    ),
    rule('webhooks.size', 'More than 256 KiB is 413.'),
    rule(
      'webhooks.array-body',
      'Bad JSON or a missing field of the identity vendor’s webhook is 400 with the field’s name.',
    ),
    rule(
      'webhooks.array-alert',
      '`alerts`/`push`/`push` tells of an alert, its bureau in any case, its `alertSubType` if any.',
    ),
    rule(
      'webhooks.array-monitoring',
      '`monitoring` with the method `post` or `delete` tells that an enrollment began or ended.',
    ),
    rule('webhooks.array-authentication', '`authentication` with the event `200` or `401` tells of a verification.'),
    rule('webhooks.array-app-key', "A webhook with an `appKey` that is not the platform's own at the vendor is 400."),
    rule('webhooks.array-unknown', 'Other webhooks of the identity vendor are stored, answered 200 and ignored.'),
    rule('webhooks.array-unknown-user', 'A webhook of an unknown user is 200.'),
    rule('webhooks.array-duplicate', 'A webhook that says the same again is 200 and has no effect.'),
    rule('webhooks.array-window', 'That holds for 7 days.'),
    rule(
      'webhooks.array-sequence',
      'Cancelled, started and cancelled again are three webhooks, an end under another `webhook-id` is another one, and a late retry changes nothing.',
    ),
    rule(
      'webhooks.payments-types',
      'The main payments path takes every type; `…/plan-change` takes `subscription.plan_changed` alone (else 400).',
    ),
    rule('webhooks.payments-unknown', 'Unknown types are stored, answered 200 and ignored.'),
    rule(
      'webhooks.payments-duplicate',
      'One `id` of a payments body is one webhook, by whichever path and replica it comes.',
    ),
    rule(
      'webhooks.payments-fields',
      'A required field that is missing, money that is no decimal string and a time that is none are 400.',
    ),
    rule('webhooks.payments-email', 'The customer’s e-mail leaves webhook-ingest only masked, beside a keyed hash.'),
    rule(
      'webhooks.list',
      '`npm run ingest -- list` lists stored webhooks by integration, type, outcome, time, subscription and user.',
    ),
    rule(
      'webhooks.show',
      '`npm run ingest -- show` shows a body with personal data masked, and whole only with a reason, which is logged.',
    ),
    rule('webhooks.replay', '`npm run ingest -- replay` publishes the events of a webhook again under the same ids.'),
  ],
};
