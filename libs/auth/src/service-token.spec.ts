import { createHmac } from 'node:crypto';
import { InvalidSecretError, InvalidTokenError } from './auth.errors';
import { issueServiceToken, verifyServiceToken } from './service-token';

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
const headerOf = (token: string): object => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
const seconds = now.getTime() / 1000;
const claims = { iss: 'partner-gateway', aud: 'postback-dispatcher', iat: seconds, exp: seconds + 60 };

describe('service token', () => {
  it('tells the app that calls', () => {
    expect(verify(issue())).toEqual({ from: 'partner-gateway' });
  });

  it('lives 60 s, and 30 s more for clocks that differ', () => {
    expect(verify(issue(), later(89))).toEqual({ from: 'partner-gateway' });
    expect(() => verify(issue(), later(90))).toThrow('expired');
    expect(verify(issue(), later(-30))).toEqual({ from: 'partner-gateway' });
    expect(() => verify(issue(), later(-31))).toThrow('future');
  });

  it('is good at one app only', () => {
    expect(() => verify(issue(), now, 'idp-api')).toThrow('another app');
  });

  it('is good while its secret is among those of the verifier', () => {
    const rotated = ['b'.repeat(32), ...secrets];
    expect(verify(issue(), now, 'postback-dispatcher', rotated)).toEqual({ from: 'partner-gateway' });
    expect(() => verify(issue(), now, 'postback-dispatcher', ['b'.repeat(32)])).toThrow('signature');
  });

  it('is signed with the first secret', () => {
    const token = issueServiceToken({ secrets: ['b'.repeat(32), ...secrets], from: 'x', audience: 'y', now });
    expect(verifyServiceToken({ secrets: ['b'.repeat(32)], token, audience: 'y', now })).toEqual({ from: 'x' });
  });

  it.each([
    ['nothing', ''],
    ['no JWT', 'abc'],
    ['a part more', `${issue()}.x`],
    ['no signature', issue().split('.').slice(0, 2).join('.')],
    ['an empty signature', `${issue().split('.').slice(0, 2).join('.')}.`],
    ['alg none', signed({ alg: 'none', typ: 'tandem-service+jwt' }, claims)],
    ['an ordinary JWT with our secret', signed({ alg: 'HS256', typ: 'JWT' }, claims)],
    ['another secret', signed(headerOf(issue()), claims, 'c'.repeat(32))],
    ['no claims', signed(headerOf(issue()), null)],
    ['no issuer', signed(headerOf(issue()), { ...claims, iss: undefined })],
    ['no expiry', signed(headerOf(issue()), { ...claims, exp: undefined })],
    ['a life of a day', signed(headerOf(issue()), { ...claims, exp: seconds + 86_400 })],
    ['a list as audience', signed(headerOf(issue()), { ...claims, aud: ['postback-dispatcher'] })],
  ])('is refused: %s', (_name, token) => {
    expect(() => verify(token)).toThrow(InvalidTokenError);
  });

  it('is refused with changed claims', () => {
    const [header, , signature] = issue().split('.');
    const payload = Buffer.from(JSON.stringify({ ...claims, iss: 'idp-api' })).toString('base64url');
    expect(() => verify(`${header}.${payload}.${signature}`)).toThrow('signature');
  });

  it('is not made nor verified with a secret below 32 bytes, or none', () => {
    for (const weak of [[], ['short'], [...secrets, '']]) {
      expect(() => issueServiceToken({ secrets: weak, from: 'x', audience: 'y', now })).toThrow(InvalidSecretError);
      expect(() => verify(issue(), now, 'postback-dispatcher', weak)).toThrow(InvalidSecretError);
    }
  });

  it.each([0, -1, 301, NaN])('is not made for a life of %s s', (lifetimeSeconds) => {
    expect(() => issueServiceToken({ secrets, from: 'x', audience: 'y', now, lifetimeSeconds })).toThrow(RangeError);
  });
});
