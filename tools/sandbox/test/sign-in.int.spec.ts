import { createHash, randomBytes } from 'node:crypto';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { CONSOLE_URL, openSandbox, type OpenSandbox } from './sandbox';

const CALLBACK = `${CONSOLE_URL}/signed-in`;
const SCOPE = 'openid profile offline_access partner:manage support';

/** A minimal browser. It keeps cookies, but does not follow redirects. */
class Visitor {
  private readonly cookies = new Map<string, string>();

  async get(url: string): Promise<{ status: number; location: string; text: string }> {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...this.cookies.values()].join('; ') },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      this.cookies.set(pair.split('=')[0] ?? '', pair);
    }
    const location = response.headers.get('location') ?? '';
    return { status: response.status, location: location && new URL(location, url).href, text: await response.text() };
  }
}

describe('the sign-in of the console', () => {
  let sandbox: OpenSandbox;
  beforeAll(async () => void (sandbox = await openSandbox()));
  afterAll(async () => {
    await sandbox.close();
    sandbox.remove();
  });

  const issuer = () => `${sandbox.url}/issuer/service`;
  const authorizationUrl = (verifier: string, changes: Record<string, string> = {}) => {
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const query = new URLSearchParams({
      client_id: 'tandem-console',
      response_type: 'code',
      redirect_uri: CALLBACK,
      scope: SCOPE,
      state: 'a-state',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...changes,
    });
    return `${issuer()}/auth?${query}`;
  };
  const token = (form: Record<string, string>) =>
    fetch(`${issuer()}/token`, {
      method: 'POST',
      headers: { origin: new URL(CONSOLE_URL).origin },
      body: new URLSearchParams({ client_id: 'tandem-console', ...form }),
    });

  /** Signs in as a person. @returns the code that the console receives */
  async function codeOf(who: string, verifier: string, visitor = new Visitor()): Promise<string> {
    const asked = await visitor.get(authorizationUrl(verifier));
    const page = await visitor.get(asked.location);
    expect(page.text).toContain('Who are you?');
    let answer = await visitor.get(`${asked.location}/${who}`);
    while (answer.location.startsWith(sandbox.url)) answer = await visitor.get(answer.location);
    expect(answer.location).toMatch(/^http:\/\/127\.0\.0\.1:8080\/console\/signed-in\?/);
    return new URL(answer.location).searchParams.get('code') ?? '';
  }

  it.each([
    ['manager', ['partner:manage']],
    ['support', ['support']],
    ['both', ['partner:manage', 'support']],
    ['nobody', []],
  ])('gives %s a token of the service issuer with the scopes %j', async (who, scopes) => {
    const verifier = randomBytes(32).toString('base64url');
    const answer = await token({
      grant_type: 'authorization_code',
      code: await codeOf(who, verifier),
      redirect_uri: CALLBACK,
      code_verifier: verifier,
    });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, 'http://127.0.0.1:8080']);
    const body = (await answer.json()) as Record<string, string>;
    const keys = createRemoteJWKSet(new URL(`${issuer()}/jwks.json`));
    const { payload } = await jwtVerify(body.access_token ?? '', keys, { issuer: issuer(), audience: 'tandem' });
    expect(
      String(payload.scope ?? '')
        .split(' ')
        .filter(Boolean)
        .sort(),
    ).toEqual(scopes);
    const identity = await jwtVerify(body.id_token ?? '', keys, { issuer: issuer(), audience: 'tandem-console' });
    expect(identity.payload).toMatchObject({ sub: payload.sub, name: expect.any(String) });
    const renewed = await token({ grant_type: 'refresh_token', refresh_token: body.refresh_token ?? '' });
    expect(renewed.status).toBe(200);
  });

  it('issues tokens after a rotation of keys, and accepts each code once', async () => {
    await sandbox.call('POST', '/issuer/service/rotate');
    const verifier = randomBytes(32).toString('base64url');
    const code = await codeOf('manager', verifier);
    const exchange = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: verifier };
    expect((await token(exchange)).status).toBe(200);
    expect((await token(exchange)).status).toBe(400);
  });

  it('refuses a code with another verifier, and a request without a challenge', async () => {
    const code = await codeOf('manager', randomBytes(32).toString('base64url'));
    const answer = await token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      code_verifier: randomBytes(32).toString('base64url'),
    });
    expect(answer.status).toBe(400);
    const asked = await new Visitor().get(authorizationUrl('x', { code_challenge: '', code_challenge_method: '' }));
    expect(asked.location).toContain('error=invalid_request');
  });

  it('redirects only to the console, and allows only the console’s origin by CORS', async () => {
    const asked = await new Visitor().get(authorizationUrl('x', { redirect_uri: 'https://elsewhere.example.com/' }));
    expect([asked.status, asked.location]).toEqual([400, '']);
    const answer = await fetch(`${issuer()}/token`, {
      method: 'POST',
      headers: { origin: 'https://elsewhere.example.com' },
      body: new URLSearchParams({ client_id: 'tandem-console', grant_type: 'authorization_code', code: 'x' }),
    });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('answers 410 for an unknown sign-in, and 404 for an unknown person', async () => {
    expect((await new Visitor().get(`${sandbox.url}/issuer/people/unknown`)).status).toBe(410);
    const visitor = new Visitor();
    const asked = await visitor.get(authorizationUrl('x'));
    for (const who of ['stranger', 'constructor'])
      expect((await visitor.get(`${asked.location}/${who}`)).status).toBe(404);
  });
});
