import type { FastifyInstance } from 'fastify';
import { FAMILIES, type Family, type Keyring } from './keyring';
import { issueToken, type TokenRequest } from './token';

interface OfFamily {
  Params: { family: Family };
}

const params = { type: 'object', properties: { family: { enum: FAMILIES } } };
const text = { type: 'string', minLength: 1, maxLength: 1000 };
const textOrList = { anyOf: [text, { type: 'array', items: text, maxItems: 100 }] };

const tokenBody = {
  type: 'object',
  required: ['family', 'sub'],
  additionalProperties: false,
  properties: {
    family: { enum: FAMILIES },
    sub: { type: 'string', maxLength: 1000 },
    amr: { type: 'array', items: text, maxItems: 100 },
    acr: text,
    authTime: { type: 'integer' },
    scope: textOrList,
    aud: textOrList,
    iss: text,
    expiresIn: { type: 'integer' },
    entitlements: { type: 'array', items: text, maxItems: 100 },
    subscriptionId: text,
  },
};

/**
 * Registers the routes of the two token issuers and of their public keys. The issuers give any token to any caller, so they are only for
 * development.
 */
export function registerIssuer(app: FastifyInstance, keys: Keyring, sandboxUrl: () => string): void {
  app.post<{ Body: TokenRequest }>('/issuer/token', { schema: { body: tokenBody } }, async (request, reply) => {
    const issuer = `${sandboxUrl()}/issuer/${request.body.family}`;
    return reply.code(201).send({ token: await issueToken(keys, issuer, request.body, new Date()) });
  });
  app.get<OfFamily>('/issuer/:family/jwks.json', { schema: { params } }, (request) =>
    keys.publicKeys(request.params.family),
  );
  app.post<OfFamily>('/issuer/:family/rotate', { schema: { params } }, async (request, reply) =>
    reply.code(201).send({ kid: await keys.rotate(request.params.family) }),
  );
}
