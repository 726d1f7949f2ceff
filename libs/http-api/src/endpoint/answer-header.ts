import type { OpenAPIObject } from '@nestjs/swagger';

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });

/** Headers of answers. A document defines each of them once and refers to it. */
export const ANSWER_HEADERS = {
  'X-Request-Id': text(
    'The id of the request: yours if you sent a valid one, otherwise a new one.',
    'order-1-attempt-1',
  ),
  RateLimit: text(
    'The remaining requests: `r` are left, and in `t` seconds there will be more (draft-ietf-httpapi-ratelimit-headers).',
    '"read";r=119;t=60',
  ),
  'RateLimit-Policy': text('The limit: `q` requests in any `w` seconds.', '"read";q=120;w=60'),
  'Retry-After': {
    description: 'The number of seconds after which the same request may succeed.',
    schema: { type: 'integer', minimum: 0 },
    example: 5,
  },
  'WWW-Authenticate': text('The required authentication scheme (RFC 6750).', 'Bearer'),
  Allow: text('The methods that the path supports.', 'GET, HEAD, POST'),
  'Cache-Control': text('The answer contains a secret and must not be cached.', 'no-store'),
  'Idempotency-Replayed': {
    description:
      '`true` when the answer is that of an earlier request with this `Idempotency-Key`. Absent for the first request.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
} as const satisfies NonNullable<NonNullable<OpenAPIObject['components']>['headers']>;

export type AnswerHeader = keyof typeof ANSWER_HEADERS;

const NAMES = new Map(Object.keys(ANSWER_HEADERS).map((name) => [name.toLowerCase(), name as AnswerHeader]));

/** Finds a header of `ANSWER_HEADERS` by its name, in upper or lower case. @throws Error when `ANSWER_HEADERS` has no such header */
export function answerHeader(name: string): AnswerHeader {
  const known = NAMES.get(name.toLowerCase());
  if (!known) throw new Error(`The header ${name} is not described`);
  return known;
}

/** Returns the `headers` of a response in a document: for each name, a reference to the header's definition. */
export const headersOf = (names: readonly AnswerHeader[]): Record<string, { $ref: string }> =>
  Object.fromEntries([...new Set(names)].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
