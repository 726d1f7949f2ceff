import { rule, type Section } from './rule';

/** Webhooks of the identity vendor and billing. */
export const WEBHOOKS: Section = {
  title: 'Webhooks',
  rules: [
    rule(
      'webhooks.array-authentication-of-callers',
      '`POST /idp/array/webhook` accepts a Standard Webhooks signature by one of two secrets, or a bearer service token with the scope `webhook`.',
    ),
    rule(
      'webhooks.unauthorized',
      'A request without a valid credential gets 401 `{"error"}` before its body is parsed. A bearer token without the scope `webhook` is not a valid credential.',
    ),
    rule('webhooks.tolerance', 'A signature’s timestamp may differ by 5 minutes in either direction.'),
    rule('webhooks.addresses', 'If a list of addresses is configured, only these addresses may call.'),
    rule(
      'webhooks.outage',
      'The answer is 200 only after a durable write. While storage is down, the answer is 503 with `Retry-After`, and a retry succeeds later.',
    ),
    rule('webhooks.size', 'A webhook of more than 256 KiB gets 413.'),
    rule(
      'webhooks.array-body',
      'Bad JSON in a webhook of the identity vendor gets 400. A missing field gets 400 with the field’s name.',
    ),
    rule(
      'webhooks.array-alert',
      'A webhook with the service `alerts`, the event `push` and the method `push` reports an alert. Its bureau may be in upper or lower case, and `alertSubType` is optional.',
    ),
    rule(
      'webhooks.array-monitoring',
      'A webhook with the service `monitoring` and the method `post` or `delete` reports that an enrollment started or ended.',
    ),
    rule(
      'webhooks.array-authentication',
      'A webhook with the service `authentication` and the event `200` or `401` reports a verification.',
    ),
    rule('webhooks.array-app-key', 'A webhook whose `appKey` is not the platform’s key at the vendor gets 400.'),
    rule(
      'webhooks.array-unknown',
      'A webhook of the identity vendor with an unknown service, event or method is stored, answered with 200 and ignored.',
    ),
    rule('webhooks.array-unknown-user', 'A webhook about an unknown user gets 200.'),
    rule(
      'webhooks.array-duplicate',
      'A webhook of the identity vendor that repeats an earlier one gets 200 and has no effect.',
    ),
    rule('webhooks.array-window', 'Repeated webhooks of the identity vendor are recognized for 7 days.'),
    rule(
      'webhooks.array-sequence',
      'When an enrollment is cancelled, started and cancelled again, its three webhooks count as different webhooks. A second webhook about an end is new if its `webhook-id` is different. A late retry changes nothing.',
    ),
    rule(
      'webhooks.payments-types',
      '`POST /idp/payments/webhook` accepts every type. `POST /idp/payments/webhook/plan-change` accepts only `subscription.plan_changed`; any other type gets 400.',
    ),
    rule(
      'webhooks.payments-unknown',
      'Payments webhooks of an unknown type are stored, answered with 200 and ignored.',
    ),
    rule(
      'webhooks.payments-duplicate',
      'Payments webhooks with the same `id` in the body count as one webhook, on any path and replica.',
    ),
    rule(
      'webhooks.payments-fields',
      'A payments webhook gets 400 if a required field is missing, if money is not a decimal string, or if a time is invalid.',
    ),
    rule(
      'webhooks.payments-email',
      'The customer’s e-mail address leaves webhook-ingest only masked and as a keyed hash.',
    ),
    rule(
      'webhooks.list',
      '`npm run ingest -- list` lists stored webhooks by integration, type, outcome, time, subscription and user.',
    ),
    rule(
      'webhooks.show',
      '`npm run ingest -- show` shows a body with personal data masked. It shows the personal data only with a reason, which is logged.',
    ),
    rule('webhooks.replay', '`npm run ingest -- replay` publishes the events of a webhook again under the same ids.'),
  ],
};
