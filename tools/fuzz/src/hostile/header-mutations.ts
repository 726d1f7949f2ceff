import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { type Draft, replacing, withHeader, withQuery } from './draft';
import type { Choice } from './random';

/** Changes the headers, or the cursor in the query, of a request after its credentials were added. */
export type HeaderMutation = (draft: Draft, choice: Choice) => Draft;

const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * Returns a draft's token and, if the token is a JWT, its header and payload. For other tokens, header and payload are
 * placeholders.
 */
function tokenOf({ headers }: Draft): { token: string; header: object; payload: object } {
  const token = headers.find(([name]) => name === 'authorization')?.[1].replace('Bearer ', '') ?? '';
  const [header = '', payload = ''] = token.split('.');
  return { token, header: decoded(header), payload: decoded(payload) };
}

function decoded(part: string): object {
  try {
    return Object(JSON.parse(Buffer.from(part, 'base64url').toString())) as object;
  } catch {
    return { alg: 'ES256', sub: 'fuzz', scope: 'partner:manage support' };
  }
}

/** Returns a token that no app may accept. */
function forged(draft: Draft, choice: Choice): string {
  const { token, header, payload } = tokenOf(draft);
  const claims = base64url({ ...payload, scope: 'partner:manage support webhook payments' });
  const signed = (head: object, signature: (input: string) => Buffer): string => {
    const input = `${base64url(head)}.${claims}`;
    return `${input}.${signature(input).toString('base64url')}`;
  };
  const ofStranger = (input: string): Buffer =>
    sign('sha256', Buffer.from(input), { key: stranger.privateKey, dsaEncoding: 'ieee-p1363' });
  const jwk = stranger.publicKey.export({ format: 'jwk' });
  return choice.of([
    () => `${base64url({ ...header, alg: choice.of(['none', 'None', 'NONE', '']) })}.${claims}.`,
    () => signed({ ...header, alg: 'HS256' }, (input) => createHmac('sha256', '').update(input).digest()),
    () => signed({ ...header, alg: 'ES256' }, ofStranger),
    () => signed({ ...header, alg: 'ES256', jwk }, ofStranger),
    () => signed({ ...header, alg: 'ES256', jku: 'http://127.0.0.1:9/jwks.json', kid: '../../x' }, ofStranger),
    () => signed({ ...header, crit: ['exp'], zip: 'DEF' }, ofStranger),
    () => `${token.slice(0, -4)}${choice.of(['AAAA', '====', '....', '%00%'])}`,
    () => token.slice(0, Math.max(1, choice.below(token.length))),
    () => `${token}.${token}`,
    () => `ptk_live_${'A'.repeat(38)}`,
    () => `ptk_test_${'x'.repeat(choice.of([0, 37, 38, 39, 5_000]))}`,
    () => 'x'.repeat(7_000),
    () => '.'.repeat(1_000),
    () => `${base64url({ alg: 'ES256' })}.${Buffer.from('[[['.repeat(1_000)).toString('base64url')}.AAAA`,
    () => 'eyJ.eyJ.AAA',
    () => '\u00ff\u00fe',
  ])();
}

/** Mutations that leave a request without a valid credential. */
export const CREDENTIAL_MUTATIONS: Readonly<Record<string, HeaderMutation>> = {
  'forged token': (draft, choice) => replacing(draft, 'authorization', `Bearer ${forged(draft, choice)}`),
  'other scheme of authorization': (draft, choice) =>
    replacing(
      draft,
      'authorization',
      choice.of(['', 'Bearer', 'Bearer ', 'Basic dTpw', 'Digest x', 'Bearer a b', 'Negotiate x', 'token', 'Bearer\ta']),
    ),
  'forged signature': (draft, choice) =>
    choice.of<(of: Draft) => Draft>([
      (of) => replacing(of, 'webhook-signature', choice.of(['', 'v1,', 'v1,AAAA', 'v2,x', 'v1,' + 'A'.repeat(6_000)])),
      (of) => replacing(of, 'webhook-timestamp', choice.of(['', 'x', '-1', '1e9', '99999999999999999999', '0'])),
      (of) => replacing(of, 'webhook-id', choice.of(['', 'x'.repeat(6_000), 'a.b', '\u00ff'])),
    ])(replacing(draft, 'authorization', 'Bearer x')),
};

export const HEADER_MUTATIONS: Readonly<Record<string, HeaderMutation>> = {
  'two credentials': (draft, choice) => withHeader(draft, ['authorization', choice.of(['Bearer x', 'Basic dTpw', ''])]),
  'hostile Idempotency-Key': (draft, choice) =>
    replacing(
      draft,
      'idempotency-key',
      choice.of(['', ' ', 'same-key', 'same-key', 'x'.repeat(255), 'x'.repeat(256), 'x'.repeat(9_000), '\u00e9', "'"]),
    ),
  'repeated Idempotency-Key': (draft) => withHeader(draft, ['idempotency-key', 'a'], ['idempotency-key', 'b']),
  'hostile cursor': (draft, choice) => {
    const cursor = choice.of(['', 'x', 'e30', 'AAAA', '....', '-', '%00', 'A'.repeat(5_000), 'bnVsbA', 'W10', 'MQ==']);
    return withQuery(draft, `cursor=${cursor}`);
  },
  'hostile request id': (draft, choice) =>
    withHeader(draft, ['x-request-id', choice.of(['', 'x'.repeat(9_000), '\u00ff', '<script>', 'a b', '"', '{}'])]),
  'hostile trace': (draft, choice) =>
    withHeader(draft, [
      'traceparent',
      choice.of(['', '00-0-0-0', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-ff`, 'x'.repeat(5_000), '\u00ff']),
    ]),
  'forwarding headers': (draft, choice) =>
    withHeader(
      draft,
      ['x-forwarded-for', choice.of(['127.0.0.1', 'x', '::ffff:1.2.3.4', '1.2.3.4,'.repeat(500), '', '999.1.1.1'])],
      ['x-forwarded-host', 'evil.example'],
      ['x-forwarded-proto', 'gopher'],
      ['forwarded', 'for="_x";host=evil.example'],
      ['x-original-url', '/internal/webhooks'],
      ['x-rewrite-url', '/admin/partners'],
      ['x-http-method-override', 'DELETE'],
    ),
  'conditional headers': (draft, choice) =>
    withHeader(
      draft,
      ['if-none-match', choice.of(['*', '"', 'W/"x"', '"x",'.repeat(1_000), '"\u00ff"', '""'])],
      ['if-match', '*'],
      ['if-modified-since', choice.of(['x', 'Thu, 01 Jan 1970 00:00:00 GMT', '9'.repeat(100)])],
      ['range', choice.of(['bytes=0-', 'bytes=0-0,'.repeat(500), 'bytes=-1', 'x'])],
    ),
  'negotiation headers': (draft, choice) =>
    withHeader(
      draft,
      ['accept', choice.of(['', 'text/html', '*/*;q=x', 'a/b,'.repeat(1_000), 'application/xml'])],
      ['accept-encoding', choice.of(['gzip;q=0, identity;q=0', 'br;q=1e9', '*;q=0', 'gzip,'.repeat(1_000), 'x'])],
      ['accept-language', 'a-'.repeat(500)],
    ),
  'cross-origin headers': (draft, choice) =>
    withHeader(
      draft,
      ['origin', choice.of(['null', 'https://evil.example', 'x'])],
      ['access-control-request-method', 'DELETE'],
      ['cookie', `a=${'b'.repeat(3_000)}`],
    ),
  'very long header': (draft, choice) => withHeader(draft, ['x-long', 'x'.repeat(choice.of([8_000, 17_000, 90_000]))]),
  'many headers': (draft, choice) =>
    withHeader(draft, ...Array.from({ length: choice.of([90, 500, 2_100]) }, (_, i) => [`x-${i}`, ''] as const)),
  'odd header names': (draft, choice) =>
    withHeader(draft, [choice.of(['__proto__', 'constructor', 'toString', 'then', 'x'.repeat(3_000)]), '1']),
  'prototype of a header': (draft) => withHeader(draft, ['__proto__', 'x'], ['hasownproperty', 'x'], ['tojson', 'x']),
};
