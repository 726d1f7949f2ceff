import type { OpenApiOptions } from '@tandem/http-api';

/** The OpenAPI document of the API for support. */
export const SUPPORT_API: OpenApiOptions = {
  title: 'Tandem identity protection support API',
  path: 'support-docs',
  file: 'support-api',
  description: `For backend and support services: find users of identity protection, and act on one user, identified by the KRN in the path.

- **Tokens** are service access tokens (JWT) with the scope \`support\`.
- **Every action is recorded in the audit trail**, including reads: who (\`sub\`), what, when, the request, and the reason in the header
  \`X-Support-Reason\`.
- **Errors** are \`{"error":"…"}\`. The text names fields, never their values.
- **New fields** may be added to any answer: ignore fields that you do not know.`,
  published: {
    prefix: '/idp/support',
    tags: {
      Users: 'Finding users, and actions on one user.',
      Audit: 'The actions of support, and the erasures of users.',
    },
    tokens: { support: {} },
  },
};
