import { rule, type Section } from './rule';

/** What partners can do at all, and where. */
export const INTERFACE: Section = {
  title: 'The interface',
  rules: [
    rule(
      'interface.base-path',
      'Every partner path is under `{base_url}/api/v2/partner`, and the edge sends it to the partner gateway.',
      'edge.int.spec.ts › the edge › %s %s goes to %s, path and query untouched',
      'partner-gateway/test/openapi.int.spec.ts › * › describes every route of partners and managers, and none of the bus',
    ),
    rule(
      'interface.openapi',
      'One OpenAPI document describes every operation with every status, error code, header and an example of each; it is checked in, equals the code, and passes the recommended rules of Redocly.',
      'openapi-documents.spec.ts › the OpenAPI documents › %s is what the code says (else run `npm run openapi`)',
      'openapi-documents.spec.ts › the OpenAPI documents › %s passes the recommended rules of Redocly',
      'openapi-documents.spec.ts › the OpenAPI documents › %s › has an example of each answer and of each code',
      'openapi-documents.spec.ts › the OpenAPI documents › %s › has the answers that every operation gives, with their headers',
      'openapi-documents.spec.ts › the OpenAPI documents › have every error of the app',
    ),
    rule(
      'interface.openapi-webhook',
      'The partner document describes the postback as a webhook: body, headers, authentication.',
      'openapi-documents.spec.ts › the OpenAPI documents › describe the postback as a webhook, with its headers and authentication',
      'delivery.rules.spec.ts › the OpenAPI document of partners › describes the body of a postback, each field of it and no others',
    ),
    rule(
      'interface.openapi-client',
      'A client that is generated from the document compiles in strict TypeScript, and what it is answered is what the document says.',
      'openapi-documents.spec.ts › the generated client › is what the document says (else run `npm run openapi`)',
      'generated-client.int.spec.ts › code that uses the generated client › compiles in strict TypeScript',
      'generated-client.int.spec.ts › the client that is generated from the OpenAPI document › *',
    ),
    rule(
      'interface.docs-page',
      'The edge serves a page on the partner API, and only that, under `/docs`.',
      'partner-gateway/test/openapi.int.spec.ts › * › serves a page that people can read at %s',
      'edge.int.spec.ts › the edge › %s %s goes to %s, path and query untouched',
      'edge.int.spec.ts › the edge › answers 404 to %s and forwards nothing',
    ),
    rule(
      'interface.one-base-url',
      'One base URL serves everything; what no app serves is 404.',
      'edge.int.spec.ts › the edge › answers 404 to %s and forwards nothing',
    ),
    rule(
      'interface.json',
      'Payloads are JSON; a body of another kind is refused.',
      'revoke-sale.int.spec.ts › * › answers 415 to another content type, and 413 to more than 64 KiB',
    ),
    rule(
      'interface.create-checkout-url',
      '`GET /partner/subscription/create-checkout-url` makes a checkout URL that applies the partner’s dedicated discount.',
      'create-checkout-url.int.spec.ts › * › answers a signed URL that carries the reference, the discount and 24 hours of life',
    ),
    rule(
      'interface.revoke',
      '`PUT /partner/subscription/revoke` revokes a sale that used the discount, by the `oid` of its postback as `subscriptionId`.',
      'revoke-sale.int.spec.ts › * › revokes a qualified sale and publishes sale.revoked',
    ),
    rule(
      'interface.postback-read',
      '`GET /partner/postback` reads the configuration.',
      'partner-gateway/test/postback-configuration.int.spec.ts › * › GET › relays the configuration of the partner and the environment of its token',
    ),
    rule(
      'interface.postback-write',
      '`POST /partner/postback` creates or changes it, from URL, method of authentication and key.',
      'partner-gateway/test/postback-configuration.int.spec.ts › * › POST › answers %i as the dispatcher does',
      'partner-gateway/test/postback-configuration.int.spec.ts › * › POST › passes on what was sent and nothing else',
    ),
    rule(
      'interface.postback-sent',
      'After a qualifying sale one request goes to the configured URL.',
      'deliver-sale.int.spec.ts › sale.completed › sends exactly the fields of the partner interface, in its order',
      'retry-sale.int.spec.ts › * › is one for each sale, however many events tell of it',
    ),
    rule(
      'interface.voucher-group',
      '`GET /partner/subscription/voucher-group` lists the account’s active voucher groups.',
      'partner-gateway/test/vouchers.int.spec.ts › voucher endpoints › %s %s › answers what the partner API says, to be kept by nobody',
      'voucher-groups.int.spec.ts › voucher groups › are listed to their partner while coupons can be made of them, newest first',
    ),
    rule(
      'interface.vouchers-list',
      '`GET /partner/subscription/vouchers` lists the coupon codes of a group, page by page.',
      'partner-gateway/test/vouchers.int.spec.ts › voucher endpoints › %s %s › answers what the partner API says, to be kept by nobody',
      'partner-gateway/test/vouchers.int.spec.ts › voucher endpoints › GET /partner/subscription/vouchers › passes group, cursor, status and limit on',
      'list-coupons.int.spec.ts › * › pages › are newest first, and leave none out',
    ),
    rule(
      'interface.vouchers-create',
      '`POST /partner/subscription/vouchers` makes coupon codes in a group.',
      'partner-gateway/test/vouchers.int.spec.ts › voucher endpoints › %s %s › answers what the partner API says, to be kept by nobody',
      'partner-gateway/test/vouchers.int.spec.ts › voucher endpoints › POST /partner/subscription/vouchers › takes %s',
      'create-coupons.int.spec.ts › * › makes › coupons of one batch, with their event and the count of their group',
    ),
    rule(
      'interface.account',
      '`GET /partner/account` → `{"id","name","integrationKind","environment","scopes","revokeWindowDays"}`: any partner, any scope.',
      'account.int.spec.ts › * › tells a %s partner with the scopes %j who it is',
      'account.int.spec.ts › * › tells of a change at once',
      'account.int.spec.ts › * › answers 401 without a token',
      'account.int.spec.ts › * › answers 401 after %s of the token',
      'account.int.spec.ts › * › answers 403 permission_denied while the account is inactive',
      'account.int.spec.ts › * › is counted as a read, and answers 429 when the limit is used up',
    ),
    rule(
      'interface.kinds',
      'Two integration kinds: promotion partners use the checkout and postback endpoints, and voucher partners may not.',
      'partner-tokens.int.spec.ts › * › %s %s is not for voucher partners, whatever their scopes',
    ),
    rule(
      'interface.kinds-reverse',
      'Voucher partners use the voucher endpoints, and promotion partners may not.',
      'partner-gateway/test/vouchers.int.spec.ts › voucher endpoints › %s %s › answers 403 integration_kind_mismatch to promotion partners',
    ),
    rule(
      'interface.bearer',
      'Every request carries `Authorization: Bearer <partner token>`.',
      'partner-tokens.int.spec.ts › * › answers 401 to %s',
      'partner-tokens.int.spec.ts › * › takes the scheme in any case',
    ),
    rule(
      'interface.permission',
      'The endpoints need a specific permission of the token, and an active account.',
      'partner-tokens.int.spec.ts › * › %s %s needs the scope %s',
      'partner-tokens.int.spec.ts › * › answers 403 permission_denied while the account is inactive',
    ),
    rule(
      'interface.manager-issues',
      'Tokens are issued and rotated through the partner manager only.',
      'manage-partners.int.spec.ts › * › access › %s %s answers 401 without a token, and to a partner token',
      'manage-tokens.int.spec.ts › * › tokens › are shown once, and kept as a hash',
    ),
    rule(
      'interface.numbers-are-configuration',
      'Waits, windows, lives and schedules are configuration of their app, with the documented value as the default.',
      'partner-gateway/test/documented-defaults.spec.ts › * › %s is %s',
      'postback-dispatcher/test/documented-defaults.spec.ts › * › %s is %s',
    ),
  ],
};
