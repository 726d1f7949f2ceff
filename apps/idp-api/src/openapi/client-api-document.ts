import { ALERT_ID_SCHEMA } from '../alert/alert.dto';
import { ACCESS_TOKEN, SECOND_FACTOR_TOKEN } from '../client-authentication/client.access';
import type { OpenApiOptions } from '@tandem/http-api';

const TAGS: Readonly<Record<string, string>> = {
  User: 'The profile, the token for embedded pages, and what the user is enrolled in.',
  Status: 'The dashboard and its parts.',
  Alerts: 'What the bureaus found, and which alerts the user has read.',
  Scans: 'Scans of data brokers, and the removal of the records that they found.',
  'Neighborhood Watch': 'Watched addresses and their alerts.',
  Mock: 'Sample alerts and scans, not available in production.',
};

const SECOND_FACTOR =
  'An access token that was issued after a second factor: `amr` contains `mfa` (or `acr` is `mfa`), and `auth_time` is at most an hour ago. ' +
  'Any other token gets `TwoFactorAuthRequired` and the challenge of RFC 9470.';

/** The API of client apps. */
export const CLIENT_API: OpenApiOptions = {
  title: 'Tandem identity protection API',
  path: 'idp-docs',
  file: 'client-api',
  description: `Identity protection for the user of the access token.

- **Tokens** are service or OpenID access tokens (JWT); \`sub\` is the user's KRN. Each operation states whether its token needs a second
  factor: \`amr\` with \`mfa\` (or \`acr\` equal to \`mfa\`), and an \`auth_time\` of at most an hour ago.
- **Errors** that a client can act on are \`{"BadRequest":{"<Variant>":{…}}}\`; all others are \`{"error":"…"}\`.
- **Limits** apply per user and minute: 60 requests; create, enroll and token 10 each; dashboard 20.
- **A guide** covers everything from the first token on: [guide for client apps](/client-guide).
- **New fields** may be added to any answer: ignore fields that you do not know.`,
  finish: (document) => ({
    ...document,
    components: { ...document.components, schemas: { ...document.components?.schemas, AlertId: ALERT_ID_SCHEMA } },
  }),
  published: {
    prefix: '/idp/array/users',
    tags: TAGS,
    tokens: {
      [ACCESS_TOKEN]: { description: 'Any access token of the user, either a service token or an OpenID token.' },
      [SECOND_FACTOR_TOKEN]: { description: SECOND_FACTOR },
    },
  },
};
