import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiQuery, ApiResponse } from '@nestjs/swagger';
import { PROTOCOLS } from '../catalog/protocols.rules';

const text = (description: string): { description: string; schema: { type: 'string' } } => ({
  description,
  schema: { type: 'string' },
});

/** The headers with which a client caches an answer and revalidates it. */
export const VALIDATORS = {
  ETag: text('A strong tag of the encoded body, the same on every replica'),
  'Cache-Control': text('`private, max-age=600` for locations, 60 for instances'),
  Vary: text('`Authorization, Accept-Encoding`'),
};

/** Documents the `protocols` filter and the conditional requests of an endpoint that lists locations or instances. */
export const DescribesList = (): MethodDecorator =>
  applyDecorators(
    ApiQuery({
      name: 'protocols',
      required: false,
      explode: false,
      description:
        'A comma-separated list. Returns only endpoints of these protocols, and locations that have such an endpoint. Default: all protocols. Duplicates are ignored.',
      schema: { type: 'array', items: { type: 'string', enum: [...PROTOCOLS] }, minItems: 1 },
    }),
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description: 'The `ETag` values of the answers that the client has stored, or `*`',
      schema: { type: 'string' },
    }),
    ApiResponse({ status: 304, description: 'The client already has the current answer', headers: VALIDATORS }),
  );
