import type { OpenAPIObject } from '@nestjs/swagger';
import type { OpenApiOptions } from '@tandem/http-api';
import { POSTBACK_SCHEMAS, POSTBACK_SECURITY, POSTBACK_WEBHOOKS } from './postback-webhook';

/** The API of partners. */
export const PARTNER_API: OpenApiOptions = {
  title: 'Tandem partner API',
  path: 'docs',
  file: 'partner-api',
  description: `Checkout URLs with a partner's discount, revocation of sales, postbacks, and vouchers.

- **Errors** are \`application/problem+json\` (RFC 9457): decide by \`code\`, show \`detail\` to people, and quote \`requestId\` when you ask us.
- **Limits** hold for a token, over all of its connections: 600 checkout URLs, 120 other reads, 30 writes and 10 voucher creations a minute.
  Each answer tells in \`RateLimit\` what is left; a request that was refused for its limit does not count.
- **Test and live** are told apart by the token alone: a \`ptk_test_\` token sees and makes only test data.
- **New fields** may come in any answer: ignore those that you do not know.
- Bodies are JSON in UTF-8, at most 64 KiB.`,
  published: {
    prefix: '/api/v2/partner',
    more: ['/api/v2/partner-applications'],
    tags: {
      Portal: 'Sessions of people, who open a link of the partner manager.',
      Applications: 'Applications to become a partner.',
      Account: 'Who a token belongs to, and what it may do.',
      Checkout: 'URLs that open the checkout with the partner’s own discount.',
      Sales: 'What was sold through the partner.',
      Postback: 'Where and how sales are reported to the partner.',
      Vouchers: 'Voucher groups and their coupons.',
    },
    tokens: {
      partner: {
        format: 'ptk_live_… or ptk_test_…',
        description:
          'A partner token. The partner manager issues and rotates it; each operation but `getAccount` needs one scope of it.',
      },
      portalCode: { description: 'The code of a portal link: what follows `#` in its URL.' },
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
  description: `Partners, their tokens, promotions and voucher groups, held sales, and the audit of all that.

Errors are \`application/problem+json\` (RFC 9457). Lists are in pages: pass \`nextCursor\` back as \`cursor\`. Every act leaves an audit row.`,
  published: {
    prefix: '/admin',
    tags: {
      Attention: 'What needs the attention of a partner manager.',
      Partners: 'The accounts.',
      Applications: 'Applications to become a partner, and their decisions.',
      Tokens: 'The bearer tokens of partners: issued, rotated, revoked.',
      'Portal links': 'Links by which people of a partner open its portal without an account.',
      Promotions: 'The dedicated discounts of promotion partners.',
      'Voucher groups': 'What voucher partners make coupons of.',
      Statistics: 'Figures of sales, of one partner or of all.',
      'Held sales': 'Sales that wait for somebody to look at them.',
      Postbacks: 'Where partners are told of their sales, what was sent, and sending it again.',
      Audit: 'Who did what.',
    },
    tokens: { manager: { description: 'A token of the service issuer with the scope `partner:manage`.' } },
  },
  finish: finished,
};

function finished(document: OpenAPIObject): OpenAPIObject {
  document.servers?.push({ url: 'http://127.0.0.1:8080', description: '`npm start`' });
  document.info.contact = { name: 'Tandem partner support' };
  return document;
}
