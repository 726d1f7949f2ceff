import type { OpenAPIObject } from '@nestjs/swagger';
import type { OpenApiOptions } from '@tandem/http-api';
import { POSTBACK_SCHEMAS, POSTBACK_SECURITY, POSTBACK_WEBHOOKS } from './postback-webhook';

/** The API of partners. */
export const PARTNER_API: OpenApiOptions = {
  title: 'Tandem partner API',
  path: 'docs',
  file: 'partner-api',
  description: `Checkout URLs with a partner's discount, revocation of sales, postbacks, and vouchers.

- **Errors** are \`application/problem+json\` (RFC 9457): branch on \`code\`, show \`detail\` to people, and quote \`requestId\` when you contact us.
- **Limits** apply to each token, across all of its connections: 600 checkout URLs, 120 other reads, 30 writes and 10 requests that create coupons a minute.
  The \`RateLimit\` header of each answer states the remaining requests. A request that exceeds a limit is refused and does not count.
- **Test and live**: only the token determines the environment. A \`ptk_test_\` token sees and creates only test data.
- **New fields** may be added to any answer: ignore fields that you do not know.
- Bodies are JSON in UTF-8, at most 64 KiB.`,
  published: {
    prefix: '/api/v2/partner',
    more: ['/api/v2/partner-applications'],
    tags: {
      Portal: 'Sessions of people who open a link from the partner manager.',
      Applications: 'Applications to become a partner.',
      Account: 'The owner of a token, and what the token permits.',
      Checkout: 'URLs that open the checkout with the partner’s own discount.',
      Sales: 'Sales that are attributed to the partner.',
      Postback: 'Where and how sales are reported to the partner.',
      Vouchers: 'Voucher groups and their coupons.',
    },
    tokens: {
      partner: {
        format: 'ptk_live_… or ptk_test_…',
        description:
          'A partner token. The partner manager issues and rotates it. The token needs the scope of the operation, except for `getAccount` and `closePortalSession`, which need none.',
      },
      portalCode: { description: 'The code of a portal link: the part of its URL after `#`.' },
    },
  },
  finish: (document) => {
    Object.assign(document.components?.securitySchemes ?? {}, POSTBACK_SECURITY);
    Object.assign(document.components?.schemas ?? {}, POSTBACK_SCHEMAS);
    return finished({ ...document, webhooks: POSTBACK_WEBHOOKS });
  },
};

/** The API of partner managers. */
export const MANAGER_API: OpenApiOptions = {
  title: 'Tandem partner manager API',
  path: 'manager-docs',
  file: 'manager-api',
  description: `Manage partners, their tokens, promotions and voucher groups, and held sales, and read the audit trail.

Errors are \`application/problem+json\` (RFC 9457). Lists are paged: pass \`nextCursor\` as \`cursor\` to get the next page. Every change is recorded in the audit trail.`,
  published: {
    prefix: '/admin',
    tags: {
      Attention: 'What needs the attention of a partner manager.',
      Partners: 'The accounts of partners.',
      Applications: 'Applications to become a partner, and the decisions on them.',
      Tokens: 'The bearer tokens of partners: issue, rotate and revoke them.',
      'Portal links': 'Links with which a partner’s staff open its portal without an account.',
      Promotions: 'The dedicated discounts of promotion partners.',
      'Voucher groups': 'Stocks of coupons for voucher partners.',
      Statistics: 'Figures of sales, of one partner or of all.',
      'Held sales': 'Sales, and decisions on those that a fraud rule held.',
      Postbacks: 'The endpoints of partners, the deliveries to them, and replays.',
      Audit: 'The actions of managers, and what partners do to their endpoints and portal sessions.',
    },
    tokens: { manager: { description: 'A token of the service issuer with the scope `partner:manage`.' } },
  },
  finish: finished,
};

function finished(document: OpenAPIObject): OpenAPIObject {
  document.servers?.push({ url: 'http://127.0.0.1:8080', description: 'The local stack (`npm start`)' });
  document.info.contact = { name: 'Tandem partner support' };
  return document;
}
