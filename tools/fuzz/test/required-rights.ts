/** A right that an operation can require of its caller: a scope, or another property of the credential. */
export type Right =
  | 'nothing'
  | 'checkout:create'
  | 'sales:read'
  | 'sales:revoke'
  | 'postback:read'
  | 'postback:write'
  | 'postback:listen'
  | 'vouchers:read'
  | 'vouchers:create'
  | 'partner'
  | 'portal code'
  | 'portal session'
  | 'partner:manage'
  | 'support'
  | 'user'
  | 'second factor';

/** The documents of the public APIs, each with its app. */
export const PUBLIC_APIS = [
  ['partner-api', 'partner-gateway'],
  ['manager-api', 'partner-gateway'],
  ['client-api', 'idp-api'],
  ['support-api', 'idp-support'],
  ['discovery-api', 'discovery'],
] as const;
export type PublicApi = (typeof PUBLIC_APIS)[number][0];

/** The right that each operation of a document requires. The first line that matches an operation applies. */
export const REQUIRED_RIGHTS: readonly (readonly [api: PublicApi, operations: RegExp, right: Right])[] = [
  ['partner-api', /^POST .*\/partner-applications$/, 'nothing'],
  ['partner-api', /^GET .*\/create-checkout-url$/, 'checkout:create'],
  ['partner-api', /^GET .*\/partner\/(sales|statistics)/, 'sales:read'],
  ['partner-api', /^PUT .*\/subscription\/revoke$/, 'sales:revoke'],
  ['partner-api', /^GET .*\/partner\/postback\/listen$/, 'postback:listen'],
  ['partner-api', /^GET .*\/partner\/postback/, 'postback:read'],
  ['partner-api', /^POST .*\/partner\/postback/, 'postback:write'],
  ['partner-api', /^GET .*\/subscription\/voucher/, 'vouchers:read'],
  ['partner-api', /^POST .*\/subscription\/vouchers$/, 'vouchers:create'],
  ['partner-api', /^GET .*\/partner\/account$/, 'partner'],
  ['partner-api', /^POST .*\/portal-session$/, 'portal code'],
  ['partner-api', /^DELETE .*\/portal-session$/, 'portal session'],
  ['manager-api', / \/admin\//, 'partner:manage'],
  ['support-api', / \/idp\/support\//, 'support'],
  ['client-api', /^GET .*\/users\/me\/(dashboard|nhw\/(alerts|watches))$/, 'second factor'],
  ['client-api', /^(POST|PATCH|DELETE) .*\/users(\/me(\/(enroll|token|migration))?)?$/, 'second factor'],
  ['client-api', / \/idp\/array\/users\/me/, 'user'],
  ['discovery-api', / \/ids2\/locations/, 'user'],
];

/** Returns the first line of the table that applies to an operation, such as `GET /admin/partners`. */
export const lineOf = (api: PublicApi, operation: string) =>
  REQUIRED_RIGHTS.find(([one, operations]) => one === api && operations.test(operation));

/** Matches the routes that are in no document: probes, metrics and the documents themselves. */
export const UNDOCUMENTED_ROUTE = /^GET \/(livez|readyz|metrics|(\w+-)?docs(\/.*)?)$/;
