import { createHmac } from 'node:crypto';

/** What the endpoint must do with a postback. */
export type Expected = 'handled' | 'handled before' | 'refused';

/** One request to the endpoint, and what the endpoint must do with it. */
export interface ManyPostback {
  /** What was changed, for the message of a failing test. */
  readonly changes: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyBase64: string;
  readonly oid: string;
  readonly expected: Expected;
}

export interface ManyPostbacks {
  readonly seed: number;
  /** The secrets of the endpoint, which is in the middle of a rotation. */
  readonly secrets: readonly string[];
  readonly postbacks: readonly ManyPostback[];
}

/** A postback while it is generated. */
interface Draft {
  readonly id: string;
  readonly seconds: number;
  readonly signingSecrets: readonly string[];
  readonly body: Buffer;
  readonly headers: Record<string, string>;
}

/** Changes a postback after it was signed. Returns the changed draft. */
type Change = (draft: Draft, pick: (below: number) => number) => Draft;

const withHeader = (draft: Draft, name: string, change: (value: string) => string): Draft => ({
  ...draft,
  headers: { ...draft.headers, [name]: change(draft.headers[name] ?? '') },
});
const withBody = (draft: Draft, body: Buffer | string): Draft => ({ ...draft, body: Buffer.from(body) });
/** Changes the part of each signature that follows `v1,`. */
const withSignature = (draft: Draft, change: (base64: string) => string): Draft =>
  withHeader(draft, 'webhook-signature', (all) =>
    all
      .split(' ')
      .map((entry) => `v1,${change(entry.slice(3))}`)
      .join(' '),
  );

const SYMBOLS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Changes that the signature does not cover: the postback is still genuine. */
const HARMLESS: Readonly<Record<string, Change>> = {
  'names of headers in upper case': (draft) => ({ ...draft, headers: renamed(draft, (name) => name.toUpperCase()) }),
  'names of headers in title case': (draft) => ({
    ...draft,
    headers: renamed(draft, (name) => name.replace(/(^|-)[a-z]/g, (first) => first.toUpperCase())),
  }),
  'other headers': (draft) => ({
    ...draft,
    headers: { ...draft.headers, 'user-agent': 'x', 'content-type': 'text/plain' },
  }),
  'an entry of another version': (draft) => withHeader(draft, 'webhook-signature', (all) => `v1a,AAAA ${all} v2,AAAA`),
  'an entry twice': (draft) => withHeader(draft, 'webhook-signature', (all) => `${all} ${all}`),
  'spaces between entries': (draft) =>
    withHeader(draft, 'webhook-signature', (all) => ` ${all.replaceAll(' ', '  ')} `),
};

/** Changes after which an endpoint must refuse the postback. */
const HARMFUL: Readonly<Record<string, Change>> = {
  'another currency': (draft) => withBody(draft, draft.body.toString().replace('"USD"', '"EUR"')),
  'another order of fields': (draft) =>
    withBody(draft, draft.body.toString().replace(/^\{("oid":"[^"]*"), (.*)\}$/, '{$2, $1}')),
  'JSON that was parsed and serialized again': (draft) =>
    withBody(draft, JSON.stringify(JSON.parse(draft.body.toString()))),
  'indented JSON': (draft) => withBody(draft, JSON.stringify(JSON.parse(draft.body.toString()), null, 2)),
  'a line break at the end': (draft) => withBody(draft, `${draft.body.toString()}\n`),
  'a byte order mark': (draft) => withBody(draft, `\ufeff${draft.body.toString()}`),
  'the body in UTF-16': (draft) => withBody(draft, Buffer.from(draft.body.toString(), 'utf16le')),
  'the body in Latin 1': (draft) => withBody(draft, Buffer.from(draft.body.toString(), 'latin1')),
  'the body in another Unicode form': (draft) => withBody(draft, draft.body.toString().normalize('NFD')),
  'UTF-8 that was encoded twice': (draft) => withBody(draft, draft.body.toString('latin1')),
  'a part of the body': (draft, pick) => withBody(draft, draft.body.subarray(0, pick(draft.body.length))),
  'a bit of the body': (draft, pick) => withBody(draft, flipped(draft.body, pick)),
  'a bit of the signature': (draft, pick) =>
    withSignature(draft, (base64) => flipped(Buffer.from(base64, 'base64'), pick).toString('base64')),
  'a part of the signature': (draft, pick) => withSignature(draft, (base64) => base64.slice(0, pick(base64.length))),
  'the signature in hexadecimal': (draft) =>
    withSignature(draft, (base64) => Buffer.from(base64, 'base64').toString('hex')),
  'the signature in base64url': (draft) =>
    withSignature(draft, (base64) => Buffer.from(base64, 'base64').toString('base64url')),
  'the signature without padding': (draft) => withSignature(draft, (base64) => base64.replace(/=+$/, '')),
  'the signature with more padding': (draft) => withSignature(draft, (base64) => `${base64}==`),
  'the signature with other unused bits': (draft) =>
    withSignature(draft, (base64) =>
      base64.replace(/(.)=$/, (_all, last: string) => `${SYMBOLS[SYMBOLS.indexOf(last) + 1]}=`),
    ),
  'the signature in lower case': (draft) => withSignature(draft, (base64) => base64.toLowerCase()),
  'the signature in quotes': (draft) => withSignature(draft, (base64) => `"${base64}"`),
  'the signature escaped as in a URL': (draft) => withSignature(draft, encodeURIComponent),
  'another version': (draft) => withHeader(draft, 'webhook-signature', (all) => all.replaceAll('v1,', 'v2,')),
  'a version in upper case': (draft) => withHeader(draft, 'webhook-signature', (all) => all.replaceAll('v1,', 'V1,')),
  'commas between entries': (draft) =>
    withHeader(draft, 'webhook-signature', (all) => `v1,AAAA,${all.replaceAll(' ', ',')}`),
  'no signature': (draft) => withHeader(draft, 'webhook-signature', () => ''),
  'another id': (draft) => withHeader(draft, 'webhook-id', (id) => `${id}x`),
  'a space behind the id': (draft) => withHeader(draft, 'webhook-id', (id) => `${id} `),
  'no id': (draft) => withHeader(draft, 'webhook-id', () => ''),
  'a second id': (draft) => ({ ...draft, headers: { ...draft.headers, 'Webhook-Id': 'other' } }),
  'a second signature header': (draft) => ({ ...draft, headers: { ...draft.headers, 'Webhook-Signature': 'v1,AAAA' } }),
  'another time': (draft, pick) =>
    withHeader(draft, 'webhook-timestamp', (text) => String(Number(text) - 1 - pick(60))),
  'a fraction of a second': (draft) => withHeader(draft, 'webhook-timestamp', (text) => `${text}.0`),
  'a sign before the time': (draft) => withHeader(draft, 'webhook-timestamp', (text) => `+${text}`),
  'a zero before the time': (draft) => withHeader(draft, 'webhook-timestamp', (text) => `0${text}`),
  'the time in other digits': (draft) =>
    withHeader(draft, 'webhook-timestamp', (text) =>
      text.replace(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit))),
    ),
};

const renamed = ({ headers }: Draft, change: (name: string) => string): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [change(name), value]));

function flipped(bytes: Buffer, pick: (below: number) => number): Buffer {
  const changed = Buffer.from(bytes);
  const at = pick(changed.length);
  changed[at] = (changed[at] ?? 0) ^ (1 << pick(8));
  return changed;
}

/**
 * Generates postbacks as an endpoint may receive them. What the endpoint must do with a postback follows from how it was generated:
 * this function verifies nothing.
 *
 * @param now Unix seconds; genuine timestamps stay far enough from the limits for a test that takes four minutes
 */
export function manyPostbacks(count: number, seed: number, now: number): ManyPostbacks {
  const random = randomFrom(seed);
  const pick = (below: number): number => Math.floor(random() * below);
  const one = <T>(list: readonly T[]): T => list[pick(list.length)] as T;
  const secret = (): string =>
    `whsec_${Buffer.from(Array.from({ length: 24 + pick(41) }, () => pick(256))).toString('base64')}`;
  const [current, following, foreign, former] = [secret(), secret(), secret(), secret()];
  const genuine = [[current], [following], [current, following], [following, former], [foreign, current, foreign]];

  const handled: ManyPostback[] = [];
  const generate = (number: number): ManyPostback => {
    const kind = pick(10);
    if (kind < 2 && handled.length > 0) return { ...one(handled), expected: 'handled before' };
    const isForeign = kind === 2;
    const isUntimely = kind === 3;
    // Late by 301 s or more, or early by 600 s or more. The limit is 300 s, but an early timestamp is less early when the test sends it.
    const untimely = random() < 0.5 ? 301 + pick(1e6) : -600 - pick(1e6);
    const age = isUntimely ? untimely : pick(121) - 60;
    const oid = `sub_${number}`;
    const body = Buffer.from(
      `{"oid":"${oid}", "sharedId":"Zo\\u00eb Zoë 😀 ${pick(1e9)}","emailMasked":"j***e@example.com","currency":"USD","items":[]}`,
    );
    const secrets = isForeign ? one([[foreign], [former], [foreign, former]]) : one(genuine);
    const draft = { id: `id-${number}-${pick(1e9)}`, seconds: now - age, signingSecrets: secrets, body, headers: {} };
    const harmless = random() < 0.5 ? [one(Object.keys(HARMLESS))] : [];
    const harmful = kind > 6 ? [one(Object.keys(HARMFUL))] : [];
    // The harmful change comes first: it finds headers by lower-case names, which a harmless change may replace.
    const changes = [...harmful, ...harmless];
    const changed = changes.reduce(
      (so, name) => (HARMFUL[name] ?? (HARMLESS[name] as Change))(so, pick),
      signedDraft(draft),
    );
    const isGenuine = !isForeign && !isUntimely && harmful.length === 0;
    const postback: ManyPostback = {
      changes: [...(isForeign ? ['foreign secret'] : []), ...(isUntimely ? [`${age} s old`] : []), ...changes],
      headers: changed.headers,
      bodyBase64: changed.body.toString('base64'),
      oid,
      expected: isGenuine ? 'handled' : 'refused',
    };
    if (isGenuine) handled.push(postback);
    return postback;
  };
  return {
    seed,
    secrets: [current, following],
    postbacks: Array.from({ length: count }, (_none, number) => generate(number)),
  };
}

function signedDraft(draft: Draft): Draft {
  const entries = draft.signingSecrets.map((secret) => {
    const hmac = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'));
    return `v1,${hmac.update(`${draft.id}.${draft.seconds}.`).update(draft.body).digest('base64')}`;
  });
  const headers = { 'webhook-id': draft.id, 'webhook-timestamp': String(draft.seconds) };
  return { ...draft, headers: { ...headers, 'webhook-signature': entries.join(' ') } };
}

/** A small seeded generator (mulberry32): numbers in [0, 1), the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
