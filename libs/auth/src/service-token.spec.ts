import { createHmac } from 'node:crypto';
import { InvalidSecretError, InvalidTokenError } from './auth.errors';
import { issueServiceToken, ServiceTokens, verifyServiceToken } from './service-token';

const secrets = ['a'.repeat(32)];
const now = new Date('2025-11-20T10:00:00Z');
const later = (seconds: number): Date => new Date(now.getTime() + seconds * 1000);
const issue = () => issueServiceToken({ secrets, from: 'partner-gateway', audience: 'postback-dispatcher', now });
const verify = (token: string, at = now, audience = 'postback-dispatcher', by = secrets) =>
  verifyServiceToken({ secrets: by, token, audience, now: at });

const signed = (header: object, claims: unknown, secret = secrets[0] ?? ''): string => {
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
};
const seconds = now.getTime() / 1000;
const claims = { iss: 'partner-gateway', aud: 'postback-dispatcher', iat: seconds, exp: seconds + 60 };

describe('service token', () => {
  it('is the same text as ever: a JWT with these claims in this order', async () => {
    expect(await issue()).toBe(signed({ alg: 'HS256', typ: 'tandem-service+jwt' }, claims));
  });

  it('tells the app that calls', async () => {
    expect(await verify(await issue())).toEqual({ from: 'partner-gateway' });
  });

  it('lives 60 s, and 30 s more for clocks that differ', async () => {
    expect(await verify(await issue(), later(89))).toEqual({ from: 'partner-gateway' });
    await expect(verify(await issue(), later(90))).rejects.toThrow('expired');
    expect(await verify(await issue(), later(-30))).toEqual({ from: 'partner-gateway' });
    await expect(verify(await issue(), later(-31))).rejects.toThrow('future');
  });

  it('is good at one app only', async () => {
    await expect(verify(await issue(), now, 'idp-api')).rejects.toThrow('another app');
  });

  it('is good while its secret is among those of the verifier', async () => {
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
    ['nothing', ''],
    ['no JWT', 'abc'],
    ['a part more', `${good}.x`],
    ['no signature', unsigned],
    ['an empty signature', `${unsigned}.`],
    ['alg none', signed({ ...header, alg: 'none' }, claims)],
    ['an ordinary JWT with our secret', signed({ ...header, typ: 'JWT' }, claims)],
    ['another secret', signed(header, claims, 'c'.repeat(32))],
    ['no claims', signed(header, null)],
    ['no issuer', signed(header, { ...claims, iss: undefined })],
    ['no expiry', signed(header, { ...claims, exp: undefined })],
    ['a life of a day', signed(header, { ...claims, exp: seconds + 86_400 })],
    ['a list as audience', signed(header, { ...claims, aud: ['postback-dispatcher'] })],
  ])('is refused: %s', async (_name, token) => {
    await expect(verify(token)).rejects.toThrow(InvalidTokenError);
  });

  it('is refused with changed claims', async () => {
    const [header, , signature] = (await issue()).split('.');
    const payload = Buffer.from(JSON.stringify({ ...claims, iss: 'idp-api' })).toString('base64url');
    await expect(verify(`${header}.${payload}.${signature}`)).rejects.toThrow('signature');
  });

  it('is not made nor verified with a secret below 32 bytes, or none', async () => {
    for (const weak of [[], ['short'], [...secrets, '']]) {
      await expect(issueServiceToken({ secrets: weak, from: 'x', audience: 'y', now })).rejects.toThrow(
        InvalidSecretError,
      );
      await expect(verify(await issue(), now, 'postback-dispatcher', weak)).rejects.toThrow(InvalidSecretError);
    }
  });

  it.each([0, -1, 301, NaN])('is not made for a life of %s s', async (lifetimeSeconds) => {
    await expect(issueServiceToken({ secrets, from: 'x', audience: 'y', now, lifetimeSeconds })).rejects.toThrow(
      RangeError,
    );
  });
});

describe('the service tokens of an app', () => {
  const tokens = (): ServiceTokens =>
    new ServiceTokens({ secrets, from: 'partner-gateway', audience: 'postback-dispatcher' });

  it('are one for all calls of 30 s, and each call has one that lives 30 s or longer', async () => {
    const own = tokens();
    const first = await own.tokenAt(now);
    expect(first).toBe(await issue());
    expect(await own.tokenAt(later(29.999))).toBe(first);
    const second = await own.tokenAt(later(30));
    expect(second).not.toBe(first);
    expect(await verify(second, later(30))).toEqual({ from: 'partner-gateway' });
  });

  it('are issued anew when the clock was set back', async () => {
    const own = tokens();
    await own.tokenAt(later(600));
    expect(await verify(await own.tokenAt(now))).toEqual({ from: 'partner-gateway' });
  });

  it('are refused to an app without a good secret', async () => {
    const unsafe = new ServiceTokens({ secrets: ['short'], from: 'partner-gateway', audience: 'postback-dispatcher' });
    await expect(unsafe.tokenAt(now)).rejects.toThrow(InvalidSecretError);
  });
});
