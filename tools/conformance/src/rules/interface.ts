import { rule, type Section } from './rule';

/** What partners can do at all, and where. */
export const INTERFACE: Section = {
  title: 'The interface',
  rules: [
    rule(
      'interface.base-path',
      'Every partner path is under `{base_url}/api/v2/partner`, and the edge sends it to the partner gateway.',
    ),
    rule(
      'interface.openapi',
      'One OpenAPI document describes every operation with every status, error code, header and an example of each; it is checked in, equals the code, and passes the recommended rules of Redocly.',
    ),
    rule(
      'interface.openapi-webhook',
      'The partner document describes the postback as a webhook: body, headers, authentication.',
    ),
    rule(
      'interface.openapi-client',
      'A client that is generated from the document compiles in strict TypeScript, and what it is answered is what the document says.',
    ),
    rule(
      'interface.docs-page',
      'The edge serves a page on the partner API, and only that, under `/docs`; that of the manager API is under `/manager-docs`.',
    ),
    rule('interface.one-base-url', 'One base URL serves everything; what no app serves is 404.'),
    rule('interface.json', 'Payloads are JSON; a body of another kind is refused.'),
    rule(
      'interface.create-checkout-url',
      '`GET /partner/subscription/create-checkout-url` makes a checkout URL that applies the partner’s dedicated discount.',
    ),
    rule(
      'interface.revoke',
      '`PUT /partner/subscription/revoke` revokes a sale that used the discount, by the `oid` of its postback as `subscriptionId`.',
    ),
    rule('interface.postback-read', '`GET /partner/postback` reads the configuration.'),
    rule(
      'interface.postback-write',
      '`POST /partner/postback` creates or changes it, from URL, method of authentication and key.',
    ),
    rule('interface.postback-sent', 'After a qualifying sale one request goes to the configured URL.'),
    rule(
      'interface.voucher-group',
      '`GET /partner/subscription/voucher-group` lists the account’s active voucher groups.',
    ),
    rule(
      'interface.vouchers-list',
      '`GET /partner/subscription/vouchers` lists the coupon codes of a group, page by page.',
    ),
    rule('interface.vouchers-create', '`POST /partner/subscription/vouchers` makes coupon codes in a group.'),
    rule(
      'interface.account',
      '`GET /partner/account` → `{"id","name","integrationKind","environment","scopes","revokeWindowDays"}`: any partner, any scope.',
    ),
    rule(
      'interface.kinds',
      'Two integration kinds: promotion partners use the checkout and postback endpoints, and voucher partners may not.',
    ),
    rule('interface.kinds-reverse', 'Voucher partners use the voucher endpoints, and promotion partners may not.'),
    rule('interface.bearer', 'Every request carries `Authorization: Bearer <partner token>`.'),
    rule('interface.permission', 'The endpoints need a specific permission of the token, and an active account.'),
    rule('interface.manager-issues', 'Tokens are issued and rotated through the partner manager only.'),
    rule(
      'interface.numbers-are-configuration',
      'Waits, windows, lives and schedules are configuration of their app, with the documented value as the default.',
    ),
  ],
};
