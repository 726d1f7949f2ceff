import { createHmac, generateKeyPairSync } from 'node:crypto';
import { decodeProtectedHeader } from 'jose';
import { InvalidSecretError, InvalidTokenError } from './auth.errors';
import { parseServicePrivateKey, ServicePublicKeys } from './service-keys';
import { issueServiceToken, ServiceTokens, verifyServiceToken } from './service-token';

const secrets = ['a'.repeat(32)];
const now = new Date('2025-11-20T10:00:00Z');
const later = (seconds: number): Date => new Date(now.getTime() + seconds * 1000);
const issue = () => issueServiceToken({ secrets, from: 'partner-gateway', audience: 'postback-dispatcher', now });
const verify = (token: string, at = now, audience = 'postback-dispatcher', by = secrets) =>
  verifyServiceToken({ secrets: by, token, audience, now: at });

interface Pair {
  readonly private: string;
  readonly public: string;
}
function newPair(type = 'ed25519'): Pair {
  const { privateKey, publicKey } = generateKeyPairSync(type as 'ed25519');
  return {
    private: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    public: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  };
}

const signed = (header: object, claims: unknown, secret = secrets[0] ?? ''): string => {
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
};
const seconds = now.getTime() / 1000;
const claims = { iss: 'partner-gateway', aud: 'postback-dispatcher', iat: seconds, exp: seconds + 60 };

describe('a service token that is signed with a shared secret', () => {
  it('has the same text as in releases in which apps had no keys', async () => {
    expect(await issue()).toBe(signed({ alg: 'HS256', typ: 'tandem-service+jwt' }, claims));
  });

  it('names the calling app', async () => {
    expect(await verify(await issue())).toEqual({ from: 'partner-gateway' });
  });

  it('is valid for 60 s, plus 30 s before and 30 s after, because clocks may differ', async () => {
    expect(await verify(await issue(), later(89))).toEqual({ from: 'partner-gateway' });
    await expect(verify(await issue(), later(90))).rejects.toThrow('expired');
    expect(await verify(await issue(), later(-30))).toEqual({ from: 'partner-gateway' });
    await expect(verify(await issue(), later(-31))).rejects.toThrow('future');
  });

  it('is valid for one app only', async () => {
    await expect(verify(await issue(), now, 'idp-api')).rejects.toThrow('another app');
  });

  it('is valid as long as the verifier has the secret that signed it', async () => {
    const rotated = ['b'.repeat(32), ...secrets];
    expect(await verify(await issue(), now, 'postback-dispatcher', rotated)).toEqual({ from: 'partner-gateway' });
    await expect(verify(await issue(), now, 'postback-dispatcher', ['b'.repeat(32)])).rejects.toThrow('signature');
  });

  it('is signed with the first secret', async () => {
    const token = await issueServiceToken({ secrets: ['b'.repeat(32), ...secrets], from: 'x', audience: 'y', now });
    expect(await verifyServiceToken({ secrets: ['b'.repeat(32)], token, audience: 'y', now })).toEqual({ from: 'x' });
  });

  const header = { alg: 'HS256', typ: 'tandem-service+jwt' };
  const good = signed(header, claims);
  const unsigned = good.split('.').slice(0, 2).join('.');

  it.each([
    ['an empty text', ''],
    ['no JWT', 'abc'],
    ['an additional part', `${good}.x`],
    ['no signature', unsigned],
    ['an empty signature', `${unsigned}.`],
    ['alg none', signed({ ...header, alg: 'none' }, claims)],
    ['an ordinary JWT with our secret', signed({ ...header, typ: 'JWT' }, claims)],
    ['another secret', signed(header, claims, 'c'.repeat(32))],
    ['no claims', signed(header, null)],
    ['no issuer', signed(header, { ...claims, iss: undefined })],
    ['no expiry', signed(header, { ...claims, exp: undefined })],
    ['a lifetime of a day', signed(header, { ...claims, exp: seconds + 86_400 })],
    ['a list as audience', signed(header, { ...claims, aud: ['postback-dispatcher'] })],
  ])('is refused: %s', async (_name, token) => {
    await expect(verify(token)).rejects.toThrow(InvalidTokenError);
  });

  it('is refused with changed claims', async () => {
    const [header, , signature] = (await issue()).split('.');
    const payload = Buffer.from(JSON.stringify({ ...claims, iss: 'idp-api' })).toString('base64url');
    await expect(verify(`${header}.${payload}.${signature}`)).rejects.toThrow('signature');
  });

  it('is neither accepted nor issued when no secret is configured', async () => {
    await expect(verify(await issue(), now, 'postback-dispatcher', [])).rejects.toThrow(InvalidTokenError);
    await expect(issueServiceToken({ secrets: [], from: 'x', audience: 'y', now })).rejects.toThrow(InvalidSecretError);
  });

  it('is neither issued nor verified with a secret below 32 bytes', async () => {
    for (const weak of [['short'], [...secrets, '']]) {
      await expect(issueServiceToken({ secrets: weak, from: 'x', audience: 'y', now })).rejects.toThrow(
        InvalidSecretError,
      );
      await expect(verify(await issue(), now, 'postback-dispatcher', weak)).rejects.toThrow(InvalidSecretError);
    }
  });

  it.each([0, -1, 301, NaN])('is not issued for a lifetime of %s s', async (lifetimeSeconds) => {
    await expect(issueServiceToken({ secrets, from: 'x', audience: 'y', now, lifetimeSeconds })).rejects.toThrow(
      RangeError,
    );
  });
});

describe('a service token', () => {
  const { gateway, support, next } = { gateway: newPair(), support: newPair(), next: newPair() };
  const publicKeys = new ServicePublicKeys(`partner-gateway:${gateway.public},idp-support:${support.public}`);
  const issueBy = (pair: Pair, from = 'partner-gateway') =>
    issueServiceToken({ privateKey: parseServicePrivateKey(pair.private), from, audience: 'idp-api', now });
  const verifyBy = (token: string, keys = publicKeys, more: { secrets?: string[] } = {}) =>
    verifyServiceToken({ publicKeys: keys, token, audience: 'idp-api', now, ...more });

  it('names the app that signed it, and the key', async () => {
    const token = await issueBy(gateway);
    expect(await verifyBy(token)).toEqual({ from: 'partner-gateway' });
    const { id } = parseServicePrivateKey(gateway.private);
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'EdDSA', typ: 'tandem-service+jwt', kid: id });
  });

  it('is refused when an app signed it in the name of another app', async () => {
    await expect(verifyBy(await issueBy(support, 'partner-gateway'))).rejects.toThrow('unknown key');
  });

  it('is refused when the header names the key of another app', async () => {
    const [, payload, signature] = (await issueBy(support)).split('.');
    const [header] = (await issueBy(gateway)).split('.');
    await expect(verifyBy(`${header}.${payload}.${signature}`)).rejects.toThrow('signature');
  });

  it('is valid with either key of its caller during a rotation', async () => {
    const both = new ServicePublicKeys(`partner-gateway:${gateway.public},partner-gateway:${next.public}`);
    expect(await verifyBy(await issueBy(gateway), both)).toEqual({ from: 'partner-gateway' });
    expect(await verifyBy(await issueBy(next), both)).toEqual({ from: 'partner-gateway' });
    await expect(verifyBy(await issueBy(next))).rejects.toThrow('unknown key');
  });

  it('is signed with the key rather than a secret, and a verifier without secrets accepts no other signature', async () => {
    const privateKey = parseServicePrivateKey(gateway.private);
    const token = await issueServiceToken({ privateKey, secrets, from: 'partner-gateway', audience: 'idp-api', now });
    expect(await verifyBy(token)).toEqual({ from: 'partner-gateway' });
    const shared = await issueServiceToken({ secrets, from: 'partner-gateway', audience: 'idp-api', now });
    await expect(verifyBy(shared)).rejects.toThrow(InvalidTokenError);
    expect(await verifyBy(shared, publicKeys, { secrets })).toEqual({ from: 'partner-gateway' });
  });

  it('is refused when the text of the public key is used as a shared secret', async () => {
    const header = { alg: 'HS256', typ: 'tandem-service+jwt', kid: parseServicePrivateKey(gateway.private).id };
    const forged = signed(header, { ...claims, aud: 'idp-api' }, gateway.public);
    await expect(verifyBy(forged)).rejects.toThrow(InvalidTokenError);
    await expect(verifyBy(forged, publicKeys, { secrets })).rejects.toThrow('signature');
  });
});

describe('the keys of service tokens', () => {
  const pair = newPair();
  const pem = (label: string, text: string): string => `-----BEGIN ${label}-----\n${text}\n-----END ${label}-----\n`;

  it('are read from a PEM, or from the base64 of a PEM on one line', () => {
    const { id } = parseServicePrivateKey(pair.private);
    expect(parseServicePrivateKey(pem('PRIVATE KEY', pair.private)).id).toBe(id);
    const keys = new ServicePublicKeys(`a:${pem('PUBLIC KEY', pair.public)},b:${pair.public}`);
    expect(keys.callers).toEqual(['a', 'b']);
    expect(keys.find('a', id)).toBeDefined();
    expect(keys.find('c', id)).toBeUndefined();
  });

  it.each([
    ['no base64', 'not a key!'],
    ['other bytes', 'AAAA'],
    ['the public half', pair.public],
    ['a key of another kind', newPair('x25519').private],
  ])('are refused: %s in place of a private key', (_, text) => {
    expect(() => parseServicePrivateKey(text)).toThrow(InvalidSecretError);
  });

  it.each([
    ['no caller', pair.public],
    ['the private half', `a:${pair.private}`],
    ['a key of another kind', `a:${newPair('x25519').public}`],
    ['no key', 'a:'],
  ])('are refused in a list of public keys: %s', (_, text) => {
    expect(() => new ServicePublicKeys(text)).toThrow(InvalidSecretError);
  });
});

describe('the service tokens of an app', () => {
  const tokens = (): ServiceTokens =>
    new ServiceTokens({ secrets, from: 'partner-gateway', audience: 'postback-dispatcher' });

  it('are reused for 30 s, and then issued again', async () => {
    const own = tokens();
    const first = await own.tokenAt(now);
    expect(first).toBe(await issue());
    expect(await own.tokenAt(later(29.999))).toBe(first);
    const second = await own.tokenAt(later(30));
    expect(second).not.toBe(first);
    expect(await verify(second, later(30))).toEqual({ from: 'partner-gateway' });
  });

  it('are issued again when the clock was set back', async () => {
    const own = tokens();
    await own.tokenAt(later(600));
    expect(await verify(await own.tokenAt(now))).toEqual({ from: 'partner-gateway' });
  });

  it('are not issued when there is no key, and the secret is too short', async () => {
    const unsafe = new ServiceTokens({ secrets: ['short'], from: 'partner-gateway', audience: 'postback-dispatcher' });
    await expect(unsafe.tokenAt(now)).rejects.toThrow(InvalidSecretError);
  });
});
