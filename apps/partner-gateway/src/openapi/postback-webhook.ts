import type { OpenAPIObject } from '@nestjs/swagger';

type Components = NonNullable<OpenAPIObject['components']>;

/**
 * Describes the bodies of postbacks and of notices about closed sales. Tests of postback-dispatcher compare the bodies that the app
 * sends with these schemas.
 */
export const POSTBACK_SCHEMAS: NonNullable<Components['schemas']> = {
  Postback: {
    type: 'object',
    description: 'A qualifying sale',
    required: ['oid', 'sharedId', 'emailMasked', 'currency', 'items'],
    properties: {
      oid: {
        type: 'string',
        minLength: 1,
        maxLength: 255,
        description: 'The id of the subscription, used as `subscriptionId` in a revocation',
      },
      sharedId: { type: 'string', description: 'Your `ref_id`, otherwise `data4` of the sale, otherwise empty' },
      emailMasked: { type: 'string', description: 'Masked. For support, not for identifying a person' },
      currency: { type: 'string', pattern: '^[A-Z]{3}$' },
      items: { type: 'array', maxItems: 1000, items: { $ref: '#/components/schemas/PostbackItem' } },
    },
  },
  SaleClosedNotice: {
    type: 'object',
    description: 'A sale whose postback you have accepted, or may have accepted, was refunded or charged back',
    required: ['event', 'oid', 'sharedId', 'status', 'at'],
    properties: {
      event: { type: 'string', enum: ['sale.closed'] },
      oid: {
        type: 'string',
        minLength: 1,
        maxLength: 255,
        description: 'The same value as in the postback of the sale',
      },
      sharedId: { type: 'string', description: 'The same value as in the postback of the sale' },
      status: { type: 'string', enum: ['refunded', 'charged_back'] },
      at: { type: 'string', format: 'date-time', description: 'Time of the refund or chargeback' },
    },
  },
  PostbackItem: {
    type: 'object',
    required: ['price', 'quantity', 'category', 'tier', 'sku'],
    properties: {
      price: { type: 'string', pattern: '^\\d+\\.\\d{2}$', description: 'Exactly 2 decimals, in every currency' },
      quantity: { type: 'string', pattern: '^\\d+$' },
      category: { type: 'string', description: 'What was bought' },
      tier: { type: 'string', description: 'Empty when there is none' },
      sku: { type: 'string', enum: ['Sell'] },
    },
  },
};

/** Describes how postbacks are authenticated: with the partner's own key, by the method that the partner chose. */
export const POSTBACK_SECURITY = {
  postbackBearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'Used by postbacks: your own key, when `authMethod` is `Bearer`.',
  },
  postbackBasic: {
    type: 'http',
    scheme: 'basic',
    description: 'Used by postbacks: your own key, when `authMethod` is `Basic`.',
  },
} as const satisfies Components['securitySchemes'];

const header = (name: string, description: string, schema: object, required = true) => ({
  name,
  in: 'header' as const,
  required,
  description,
  schema,
});

const EXAMPLE = {
  oid: 'sub_ff3da49de5ba8c6db6b029e5',
  sharedId: 'order-1',
  emailMasked: 'j***e@example.com',
  currency: 'USD',
  items: [{ price: '103.96', quantity: '1', category: 'Pro plan, 12 months', tier: 'pro', sku: 'Sell' }],
};

const CLOSED = {
  event: 'sale.closed',
  oid: EXAMPLE.oid,
  sharedId: EXAMPLE.sharedId,
  status: 'refunded',
  at: '2026-03-08T09:30:00.000Z',
};

const SECURITY = Object.keys(POSTBACK_SECURITY).map((name) => ({ [name]: [] }));

const HEADERS = [
  header('webhook-id', 'The same in all retries of a delivery. Store it, and process each id once', { type: 'string' }),
  header('webhook-timestamp', 'When this attempt was signed, in Unix seconds', {
    type: 'string',
    pattern: '^[0-9]{1,12}$',
  }),
  header('webhook-signature', 'One `v1,<base64>` signature for each active secret, separated by spaces', {
    type: 'string',
  }),
  header('X-Environment', 'Present only in the test environment', { type: 'string', enum: ['test'] }, false),
];

const RESPONSES = {
  '2XX': {
    description:
      'The request is accepted if the answer arrives within 15 s. The first 2 kB of its body are kept in the delivery log',
  },
  '4XX': {
    description:
      'The request is retried later, as after every answer except 2XX and 410. 410 disables the configuration. 429 slows down deliveries to the endpoint. `Retry-After` is respected',
  },
};

/**
 * Describes the requests that a partner's endpoint receives: a postback for each qualifying sale and, if the partner opts in, notices of
 * refunds and chargebacks.
 */
export const POSTBACK_WEBHOOKS: NonNullable<OpenAPIObject['webhooks']> = {
  postback: {
    post: {
      operationId: 'receivePostback',
      tags: ['Postback'],
      summary: 'A sale that qualified, sent to your endpoint',
      description:
        'Sent to the URL of your postback configuration, at least once: the `webhook-id` is the same in all retries. Verify the signature over `{webhook-id}.{webhook-timestamp}.{body}` ([Standard Webhooks](https://www.standardwebhooks.com)) and compare `Authorization` with your key.',
      security: SECURITY,
      parameters: HEADERS,
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Postback' }, example: EXAMPLE } },
      },
      responses: RESPONSES,
    },
  },
  saleClosed: {
    post: {
      operationId: 'receiveSaleClosed',
      tags: ['Postback'],
      summary: 'The refund or chargeback of a sale, sent to your endpoint',
      description:
        'Sent only if `notifyClosures` is true, and only if you accepted the postback of the sale, or may have accepted it: an attempt got no answer because it timed out or its connection broke. About 90 days after the sale, this is no longer known, and the notice is sent in any case. If you do not know the sale, answer 2xx and ignore the notice. A notice has its own `webhook-id`, and is signed, authenticated and retried like a postback. The header `X-Event` distinguishes it from a postback, which has no such header.',
      security: SECURITY,
      parameters: [
        ...HEADERS,
        header('X-Event', 'The event that the body reports', { type: 'string', enum: ['sale.closed'] }),
      ],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/SaleClosedNotice' }, example: CLOSED } },
      },
      responses: RESPONSES,
    },
  },
};
