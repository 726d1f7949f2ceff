import { type Draft, head, lengthOf, raw, serialized } from './draft';
import type { Choice } from './random';
import type { WireRequest } from './wire';

/** Changes the bytes in which a request is sent. The result may be invalid HTTP. */
export type WireMutation = (draft: Draft, choice: Choice) => WireRequest;

const EMPTY = Buffer.from('{}');
const bodyOf = ({ body = EMPTY }: Draft): Buffer => body;
const SMUGGLED = 'GET /admin/partners HTTP/1.1\r\nHost: localhost\r\n\r\n';

const chunk = (bytes: Buffer | string, size?: string): Buffer =>
  Buffer.concat([
    Buffer.from(`${size ?? Buffer.byteLength(bytes).toString(16)}\r\n`),
    Buffer.from(bytes),
    Buffer.from('\r\n'),
  ]);
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

const single = (...bytes: Buffer[]): WireRequest => ({ parts: [Buffer.concat(bytes)] });

/**
 * Returns a request with the given headers in place of the correct headers that delimit its body.
 * @param body the bytes that are sent after the head
 */
const framed = (draft: Draft, framing: Draft['headers'], body: Buffer = bodyOf(draft)): WireRequest =>
  single(head(draft, framing), body);

/** Divides bytes into parts of about equal size. */
function partsOf(bytes: Buffer, count: number): Buffer[] {
  const size = Math.ceil(bytes.length / count);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
}

/** Mutations whose result two programs could read differently (request smuggling). Such requests must be refused. */
export const SMUGGLING_MUTATIONS: Readonly<Record<string, WireMutation>> = {
  'Content-Length and Transfer-Encoding': (draft, choice) => {
    const lines: Draft['headers'] = [
      ['content-length', choice.of(['5', '0', '100'])],
      ['transfer-encoding', 'chunked'],
    ];
    return framed(
      draft,
      choice.below(2) === 0 ? lines : lines.toReversed(),
      Buffer.concat([LAST_CHUNK, Buffer.from(SMUGGLED)]),
    );
  },
  'different Content-Lengths': (draft, choice) =>
    framed(draft, [...lengthOf({ ...draft, body: bodyOf(draft) }), ['content-length', choice.of(['0', '1', '9999'])]]),
  'malformed Content-Length': (draft, choice) =>
    framed(draft, [
      ['content-length', choice.of(['-1', '+2', '0x2', '2,2', '2 2', '1e1', '99999999999999999999', 'x', '٢', '2.0'])],
    ]),
  'malformed Transfer-Encoding': (draft, choice) =>
    framed(
      draft,
      choice.of<Draft['headers']>([
        [['transfer-encoding', 'xchunked']],
        [['transfer-encoding', 'chunked, identity']],
        [['transfer-encoding', 'gzip, chunked, gzip']],
        [
          ['transfer-encoding', 'chunked'],
          ['transfer-encoding', 'identity'],
        ],
        [['transfer-encoding ', 'chunked']],
        [
          ['transfer_encoding', 'chunked'],
          ['transfer-encoding', '\u000bchunked'],
        ],
      ]),
      Buffer.concat([chunk(bodyOf(draft)), LAST_CHUNK]),
    ),
  'malformed chunk': (draft, choice) =>
    framed(
      draft,
      [['transfer-encoding', 'chunked']],
      chunk(
        bodyOf(draft),
        choice.of(['zz', '-1', 'ffffffffffffffffff', '0x2', '2 ', '+2', ';', '', `1;${'a'.repeat(20_000)}`]),
      ),
    ),
};

const startOf = (draft: Draft): string => `${draft.method} ${draft.target}`;

/** Functions that return the head of a request. The head is not valid HTTP/1.1, or no client normally sends it. */
const MALFORMED: readonly ((draft: Draft) => Buffer)[] = [
  (draft) => raw([`${startOf(draft)} HTTP/1.1`, 'host: localhost', 'no colon']),
  (draft) => raw([`${startOf(draft)} HTTP/1.1`, 'host: localhost', 'x-name : space']),
  (draft) => raw([`${startOf(draft)} HTTP/1.1`, 'host: localhost', 'x-fold: a', ' b']),
  (draft) => raw([`${startOf(draft)} HTTP/1.1`, 'host: localhost', 'x-nul: a\0b']),
  (draft) => raw([`${startOf(draft)} HTTP/1.1`, 'host: localhost', ': empty name']),
  (draft) => raw([`${startOf(draft)} HTTP/1.1`, 'host: localhost', 'x-cr: a\rx-injected: b']),
  (draft) => Buffer.from(`${startOf(draft)} HTTP/1.1\nhost: localhost\nconnection: close\n\n`),
  (draft) => raw([`${startOf(draft)} HTTP/9.9`, 'host: localhost']),
  (draft) => raw([`${startOf(draft)} HTTP/0.9`]),
  (draft) => raw([startOf(draft)]),
  (draft) => raw([`${startOf(draft)} HTTP/1.1 extra`, 'host: localhost']),
  (draft) => raw([`${draft.method}\t${draft.target}\tHTTP/1.1`, 'host: localhost']),
  (draft) => raw([`get ${draft.target} HTTP/1.1`, 'host: localhost']),
  (draft) => raw([`FOO ${draft.target} HTTP/1.1`, 'host: localhost']),
  (draft) => raw([`${draft.method} ${draft.target}\0 HTTP/1.1`, 'host: localhost']),
  (draft) => raw([`${draft.method} ${draft.target} \u00e9 HTTP/1.1`, 'host: localhost']),
  () => raw(['CONNECT localhost:5432 HTTP/1.1', 'host: localhost:5432']),
  () => raw(['CONNECT / HTTP/1.1', 'host: localhost', 'content-length: 5']),
  () => raw(['OPTIONS * HTTP/1.1', 'host: localhost', 'connection: close']),
  () => raw(['PRI * HTTP/2.0', '', 'SM', '']),
  () => Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]),
  () => Buffer.from('\r\n\r\n\r\n\r\nx\r\n\r\n'),
  () => Buffer.from('SSH-2.0-x\r\n\r\n'),
  () => Buffer.alloc(20_000, 0x41),
  () => Buffer.alloc(64),
  (draft) => raw([`${startOf(draft)} HTTP/1.1`, 'connection: close']),
  (draft) => raw([`${startOf(draft)} HTTP/1.1`, 'host: a', 'host: b', 'connection: close']),
  (draft) => raw([`${startOf(draft)} HTTP/1.1`, 'host: a b\u00ff', 'connection: close']),
  (draft) => raw([`${draft.method} http://localhost${draft.target} HTTP/1.1`, 'host: other', 'connection: close']),
];

export const WIRE_MUTATIONS: Readonly<Record<string, WireMutation>> = {
  'malformed HTTP': (draft, choice) => ({ parts: [choice.of(MALFORMED)(draft)], halfClose: true }),
  'HTTP/1.0': (draft) =>
    single(Buffer.from(serialized(draft).toString('latin1').replace('HTTP/1.1', 'HTTP/1.0'), 'latin1')),
  'repeated Content-Length': (draft) =>
    framed(draft, [...lengthOf({ ...draft, body: bodyOf(draft) }), ...lengthOf({ ...draft, body: bodyOf(draft) })]),
  'chunked body': (draft, choice) =>
    framed(
      draft,
      [['transfer-encoding', choice.of(['chunked', 'Chunked', 'identity, chunked'])]],
      Buffer.concat([
        ...partsOf(bodyOf(draft), 3)
          .filter(({ length }) => length > 0)
          .map((part) => chunk(part)),
        LAST_CHUNK,
      ]),
    ),
  'chunked body with trailers': (draft) =>
    framed(
      draft,
      [
        ['transfer-encoding', 'chunked'],
        ['trailer', 'authorization'],
      ],
      Buffer.concat([chunk(bodyOf(draft)), Buffer.from('0\r\nauthorization: Bearer x\r\ncontent-length: 5\r\n\r\n')]),
    ),
  'chunked body that stops': (draft) => ({
    ...framed(draft, [['transfer-encoding', 'chunked']], chunk(bodyOf(draft))),
    answers: 0,
  }),
  'body that stops': (draft) => ({
    ...framed(draft, [['content-length', String(bodyOf(draft).length + 100)]]),
    answers: 0,
  }),
  'body that ends early': (draft) => ({
    ...framed(draft, [['content-length', String(bodyOf(draft).length + 100)]]),
    halfClose: true,
  }),
  'body that is too long': (draft) =>
    framed(
      draft,
      lengthOf({ ...draft, body: bodyOf(draft) }),
      Buffer.concat([bodyOf(draft), Buffer.from('x'.repeat(50))]),
    ),
  'slow body': (draft) => ({
    parts: [head(draft, lengthOf({ ...draft, body: bodyOf(draft) })), ...partsOf(bodyOf(draft), 4)],
    pauseMs: 150,
  }),
  'slow head': (draft) => ({ parts: partsOf(serialized(draft), 5), pauseMs: 100 }),
  'head that stops': (draft, choice) => {
    const bytes = serialized(draft);
    return { parts: partsOf(bytes.subarray(0, 1 + choice.below(bytes.length - 1)), 2), pauseMs: 50, answers: 0 };
  },
  'client that leaves at once': (draft) => ({ parts: [serialized(draft)], answers: 0 }),
  'client that ends its side': (draft) => ({ parts: [serialized(draft)], halfClose: true }),
  pipelining: (draft) => {
    const others = Buffer.concat([head(draft, lengthOf(draft), 'keep-alive'), draft.body ?? Buffer.alloc(0)]);
    return { ...single(others, others, serialized(draft)), answers: 3 };
  },
  Expect: (draft, choice) =>
    framed({ ...draft, headers: [...draft.headers, ['expect', choice.of(['100-continue', 'x', '200-ok'])]] }, [
      ...lengthOf({ ...draft, body: bodyOf(draft) }),
    ]),
  Upgrade: (draft, choice) =>
    framed(
      {
        ...draft,
        headers: [
          ...draft.headers,
          ['upgrade', choice.of(['websocket', 'h2c', 'TLS/1.0', 'x'])],
          ['http2-settings', 'AAMAAABkAAQAAP__'],
          ['sec-websocket-key', 'dGhlIHNhbXBsZSBub25jZQ=='],
          ['sec-websocket-version', '13'],
        ],
      },
      lengthOf(draft),
      draft.body ?? Buffer.alloc(0),
    ),
};
