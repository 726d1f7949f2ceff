import type { FastifyInstance } from 'fastify';
import Provider, { type Configuration } from 'oidc-provider';
import { SandboxError } from '../errors';
import { escapeHtml, page } from '../html';
import type { Keyring } from './keyring';
import { PEOPLE, personOf, RIGHTS } from './people';

const PREFIX = '/issuer/service';
/** The resource for which access tokens are issued (RFC 8707). The tokens' audience is AUDIENCE, which the apps check. */
const API = 'urn:tandem:api';
const AUDIENCE = 'tandem';
/** The lifetime of an access token. It is short, so that sessions are renewed during development too. */
const ACCESS_TOKEN_SECONDS = 600;
const SESSION_SECONDS = 12 * 3600;

/** The paths below `PREFIX` that the sandbox handles itself, not the provider. */
const OWN_PATHS = ['/jwks.json', '/rotate'];

/** The client id of the console. The client has no secret, because the console runs in a browser. */
export const CONSOLE_CLIENT = 'tandem-console';

/**
 * Registers an OpenID Connect provider (authorization code with PKCE) for the console. On its sign-in page, the visitor chooses a person
 * and enters no password, so the provider is only for development. Its access tokens are signed with the keys of the service issuer.
 */
export function registerSignIn(
  app: FastifyInstance,
  keys: Keyring,
  { sandboxUrl, consoleUrl }: { sandboxUrl: () => string; consoleUrl: string },
): void {
  let built: { keyId: string | undefined; provider: Provider } | undefined;
  /**
   * Returns the provider. After a rotation of keys, returns a new provider, whose store is empty: all sessions, sign-ins in progress, codes
   * and refresh tokens end.
   */
  const provider = (): Provider => {
    const [newest] = keys.signingKeys('service');
    if (!built || built.keyId !== newest?.kid) {
      built = { keyId: newest?.kid, provider: newProvider(keys, sandboxUrl(), consoleUrl) };
    }
    return built.provider;
  };

  // Passes requests to the provider before Fastify reads their bodies, because the provider reads the bodies itself.
  app.addHook('onRequest', async (request, reply) => {
    const url = request.raw.url ?? '';
    if (!url.startsWith(`${PREFIX}/`) || OWN_PATHS.some((path) => url === PREFIX + path)) return;
    reply.hijack();
    Object.assign(request.raw, { originalUrl: url, url: url.slice(PREFIX.length) });
    void provider().callback()(request.raw, reply.raw);
  });

  app.get<{ Params: { uid: string } }>('/issuer/people/:uid', async (request, reply) => {
    await detailsOf(provider(), request.raw, reply.raw);
    return reply.type('text/html').header('cache-control', 'no-store').send(whoPage(request.params.uid));
  });

  app.get<{ Params: { uid: string; who: string } }>('/issuer/people/:uid/:who', async (request, reply) => {
    const { who } = request.params;
    const person = Object.hasOwn(PEOPLE, who) ? PEOPLE[who] : undefined;
    if (!person) throw new SandboxError(404, `there is no ${who}`);
    const { params } = await detailsOf(provider(), request.raw, reply.raw);
    const grant = new (provider().Grant)({ accountId: person.subject, clientId: String(params.client_id) });
    grant.addOIDCScope(['openid', 'profile', 'offline_access'].join(' '));
    const wanted = String(params.scope ?? '').split(' ');
    const rights = RIGHTS.filter((right) => wanted.includes(right));
    const granted = rights.filter((right) => person.rights.includes(right));
    if (granted.length > 0) grant.addResourceScope(API, granted.join(' '));
    const refused = rights.filter((right) => !granted.includes(right));
    if (refused.length > 0) grant.rejectResourceScope(API, refused.join(' '));
    const result = { login: { accountId: person.subject, remember: true }, consent: { grantId: await grant.save() } };
    reply.hijack();
    await provider().interactionFinished(request.raw, reply.raw, result);
  });
}

/** Returns the details of a sign-in. @throws SandboxError when the sign-in is unknown, has ended, or was started in another browser */
async function detailsOf(provider: Provider, ...of: Parameters<Provider['interactionDetails']>) {
  try {
    return await provider.interactionDetails(...of);
  } catch {
    throw new SandboxError(410, 'this sign-in has ended: open the console again');
  }
}

function newProvider(keys: Keyring, sandboxUrl: string, consoleUrl: string): Provider {
  const callbacks = originsOf(consoleUrl);
  const configuration: Configuration = {
    jwks: { keys: keys.signingKeys('service') as never },
    clients: [
      {
        client_id: CONSOLE_CLIENT,
        token_endpoint_auth_method: 'none',
        id_token_signed_response_alg: 'ES256',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        redirect_uris: callbacks.map((url) => `${url}/signed-in`),
        post_logout_redirect_uris: callbacks.map((url) => `${url}/`),
      },
    ],
    scopes: ['openid', 'profile', 'offline_access'],
    claims: { openid: ['sub'], profile: ['name'] },
    // Puts the name into the id token, because the console does not call the userinfo endpoint.
    conformIdTokenClaims: false,
    findAccount: (_context, accountId) => ({
      accountId,
      claims: () => ({ sub: accountId, name: personOf(accountId)?.name ?? accountId }),
    }),
    pkce: { required: () => true },
    clientBasedCORS: (_context, origin) => callbacks.some((url) => new URL(url).origin === origin),
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (context, form) => {
          context.body = page(
            'Sign out',
            `<h1>Sign out?</h1>${form}<button form="op.logoutForm" name="logout" value="yes">Sign out</button>`,
          );
        },
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => API,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: RIGHTS.join(' '),
          audience: AUDIENCE,
          accessTokenFormat: 'jwt',
          accessTokenTTL: ACCESS_TOKEN_SECONDS,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
    issueRefreshToken: () => true,
    interactions: { url: (_context, { uid }) => `${sandboxUrl}/issuer/people/${uid}` },
    cookies: { keys: ['development-only'] },
    ttl: { Session: SESSION_SECONDS, Grant: SESSION_SECONDS, RefreshToken: SESSION_SECONDS, Interaction: 3600 },
    renderError: (context, { error, error_description: description }) => {
      context.type = 'html';
      context.body = page('Sign-in', `<h1>Sign-in failed</h1><p>${escapeHtml(`${error}: ${description ?? ''}`)}</p>`);
    },
  };
  return new Provider(sandboxUrl + PREFIX, configuration);
}

/** Returns the URL of the console. If its host is 127.0.0.1, also returns the same URL with the host localhost, and vice versa. */
function originsOf(consoleUrl: string): string[] {
  const url = new URL(consoleUrl);
  const other = { '127.0.0.1': 'localhost', localhost: '127.0.0.1' }[url.hostname];
  return other === undefined ? [consoleUrl] : [consoleUrl, consoleUrl.replace(url.hostname, other)];
}

function whoPage(uid: string): string {
  const links = Object.entries(PEOPLE).map(
    ([id, { name, about }]) =>
      `<div class="row"><a href="/issuer/people/${encodeURIComponent(uid)}/${id}">${escapeHtml(name)}</a> <span class="muted">${escapeHtml(about)}</span></div>`,
  );
  return page(
    'Who are you?',
    `<h1>Who are you?</h1><p class="muted">This provider is for development: no password is needed.</p>
    <div class="card">${links.join('')}</div>`,
  );
}
