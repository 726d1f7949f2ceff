import type { OpenApiOptions } from '@tandem/http-api';

/** The API of support. */
export const SUPPORT_API: OpenApiOptions = {
  title: 'Tandem identity protection support API',
  path: 'support-docs',
  file: 'support-api',
  description: `Backend and support services find a user of identity protection, and act on one user, who is named by the KRN in the path.

- **Tokens** are service access tokens (JWT) with the scope \`support\`.
- **Every act leaves an entry in the audit trail**, reads included: who (\`sub\`), what, when, the request, and why, as the header
  \`X-Support-Reason\` says.
- **Errors** are \`{"error":"…"}\`. The text names fields, never what they say.
- **New fields** may come in any answer: ignore those that you do not know.`,
  published: {
    prefix: '/idp/support',
    tags: { Users: 'Finding users, and what support does with one.', Audit: 'What support did, and proof of it.' },
    tokens: { support: {} },
  },
};
