import { ACCESS_TOKEN, FAILURES, SECOND_FACTOR_TOKEN } from '../client-authentication/client-operation.decorator';
import type { OpenApiOptions } from '@tandem/http-api';
import { errorResponses } from './error-responses';

const TAGS: Readonly<Record<string, string>> = {
  User: 'The profile, the token for embedded pages, and what the user is enrolled in.',
  Status: 'The dashboard and its parts.',
  Alerts: 'What the bureaus found, and what the user has read of it.',
  Scans: 'Scans of data brokers and the removal of what they found.',
  'Neighborhood Watch': 'Watched addresses and their alerts.',
  Mock: 'Sample alerts and scans; not in production.',
};

const SECOND_FACTOR =
  'An access token that was given for a second factor: `amr` holds `mfa` (or `acr` is `mfa`), and `auth_time` is at most an hour ago. ' +
  'Another one is answered with `TwoFactorAuthRequired` and the challenge of RFC 9470.';

const text = { type: 'string' } as const;
const empty = { type: 'object', additionalProperties: false } as const;
const variant = (name: string, data: object = empty): object => ({
  type: 'object',
  required: [name],
  properties: { [name]: data },
});
const withFields = (fields: Record<string, object>): object => ({
  type: 'object',
  required: Object.keys(fields),
  properties: fields,
});

/** The bodies of errors. */
const ERROR_SCHEMAS = {
  Error: withFields({ error: text }),
  BadRequest: withFields({
    BadRequest: {
      oneOf: [
        variant('InputValidationFailure', withFields({ invalid_fields: { type: 'array', items: text } })),
        variant('UserAlreadyExists'),
        variant('UserNotFound'),
        variant('TwoFactorAuthRequired'),
        variant('EntitlementsRequired'),
        variant('AttemptsTooEarly', withFields({ retry_after: { type: 'integer', description: 'Seconds' } })),
        variant('MaximumAttemptsReached', withFields({ max_allowed: { type: 'integer' } })),
      ],
    },
  }),
};

interface Operation {
  readonly operationId?: string;
  readonly responses: object;
}

const operationsOf = (path: object): Operation[] =>
  Object.values(path as Record<string, Operation>).filter((one) => one.operationId !== undefined);

/** The API of client apps. */
export const CLIENT_API: OpenApiOptions = {
  title: 'Tandem identity protection API',
  path: 'idp-docs',
  file: 'client-api',
  description: `Identity protection for the user of the access token.

- **Tokens** are service or OpenID access tokens (JWT); \`sub\` is the user's KRN. Each operation says whether its token needs a second
  factor: \`amr\` with \`mfa\` (or \`acr\` \`mfa\`), and an \`auth_time\` of at most an hour ago.
- **Errors** that a client decides by are \`{"BadRequest":{"<Variant>":{…}}}\`; all others are \`{"error":"…"}\`.
- **Limits** hold for a user and a minute: 60 requests; create, enroll and token 10 each; dashboard 20.
- **A guide** with everything from the first token on: [guide for client apps](/client-guide).
- **New fields** may come in any answer: ignore those that you do not know.`,
  published: {
    prefix: '/idp/array/users',
    tags: TAGS,
    tokens: {
      [ACCESS_TOKEN]: { description: 'Any access token of the user, of the service or OpenID.' },
      [SECOND_FACTOR_TOKEN]: { description: SECOND_FACTOR },
    },
  },
  finish: (document) => {
    Object.assign(document.components?.schemas ?? {}, ERROR_SCHEMAS);
    for (const { responses, operationId = '' } of Object.values(document.paths).flatMap(operationsOf)) {
      Object.assign(responses, errorResponses(FAILURES.get(operationId) ?? []));
    }
    return document;
  },
};
