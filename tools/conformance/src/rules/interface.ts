import { rule, type Section } from './rule';

/** The operations of partners, and their base path. */
export const INTERFACE: Section = {
  title: 'The interface',
  rules: [
    rule(
      'interface.base-path',
      'Every partner path is under `{base_url}/api/v2/partner`, and the edge routes it to partner-gateway.',
    ),
    rule(
      'interface.openapi',
      'One OpenAPI document describes every operation with every status, error code and header, and an example of each. The document is checked in, matches the code, and passes the recommended rules of Redocly.',
    ),
    rule(
      'interface.openapi-webhook',
      'The partner document describes the postback as a webhook: body, headers, authentication.',
    ),
    rule(
      'interface.openapi-client',
      'A client generated from the OpenAPI document compiles in strict TypeScript, and receives only documented answers.',
    ),
    rule(
      'interface.variants',
      'The OpenAPI documents have a named schema for each variant of an error and of a section of the dashboard, and for the alert details of each bureau, so that generated clients have a type for each.',
    ),
    rule(
      'interface.docs-page',
      'The docs site at `/docs` has a reference of each public API; `/docs/openapi.json` is the document of the partner API, `/manager-docs/openapi.json` that of the manager API.',
    ),
    rule('interface.one-base-url', 'One base URL serves everything; an unknown path gets 404.'),
    rule('interface.json', 'Payloads are JSON; a body of another type is refused.'),
    rule(
      'interface.create-checkout-url',
      '`GET /partner/subscription/create-checkout-url` creates a checkout URL that applies the partner’s dedicated discount.',
    ),
    rule(
      'interface.revoke',
      '`PUT /partner/subscription/revoke` revokes a sale that used the discount. Its `subscriptionId` is the `oid` of the sale’s postback.',
    ),
    rule('interface.postback-read', '`GET /partner/postback` reads the postback configuration.'),
    rule(
      'interface.postback-write',
      '`POST /partner/postback` creates or changes the postback configuration: URL, authentication method and key.',
    ),
    rule('interface.postback-sent', 'After a qualifying sale, one request is sent to the configured URL.'),
    rule(
      'interface.voucher-group',
      '`GET /partner/subscription/voucher-group` lists the account’s active voucher groups that have not ended.',
    ),
    rule(
      'interface.vouchers-list',
      '`GET /partner/subscription/vouchers` lists the coupon codes of a group, page by page.',
    ),
    rule('interface.vouchers-create', '`POST /partner/subscription/vouchers` creates coupon codes in a group.'),
    rule(
      'interface.account',
      '`GET /partner/account` answers `{"id","name","integrationKind","environment","scopes","revokeWindowDays"}` to any partner, whatever the scopes of its token.',
    ),
    rule('interface.kinds', 'Promotion partners can use the checkout and postback endpoints; voucher partners cannot.'),
    rule('interface.kinds-reverse', 'Voucher partners can use the voucher endpoints; promotion partners cannot.'),
    rule('interface.bearer', 'Requests of partners carry `Authorization: Bearer <partner token>`.'),
    rule(
      'interface.permission',
      'A token is accepted only while its account is active. Every endpoint except `GET /partner/account` and `/partner/portal-session` also requires a specific scope.',
    ),
    rule(
      'interface.manager-issues',
      'Tokens are issued and rotated only by the partner manager, except the tokens of portal sessions.',
    ),
    rule(
      'interface.numbers-are-configuration',
      'Waits, windows, lifetimes and schedules are configurable per app, with the documented value as the default.',
    ),
  ],
};
