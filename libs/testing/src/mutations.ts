/** One changed form of a sample, as JSON text: JSON.stringify cannot write some of the changes, such as the number `1e400`. */
export interface Mutation {
  /** The name of the change for test output, such as `items.0.price = null`. */
  readonly name: string;
  readonly json: string;
}

type Json = Record<string, unknown>;

const LENGTHS = [100, 200, 255, 256, 320, 500, 1024, 8192];
const TEXTS = [
  ...[
    '',
    ' ',
    'x',
    'a\0b',
    '\ud800',
    '\ufe0f',
    'x\ufe0f',
    '😀',
    '😀\ufe0f',
    'ABC',
    'true',
    '1',
    '1.5',
    '1.00\n',
    '٣.٠٠',
  ],
  ...LENGTHS.flatMap((length) => [
    'x'.repeat(length),
    'x'.repeat(length + 1),
    '😀'.repeat(length),
    'x\ufe0f'.repeat(length),
  ]),
];
const TIMES = [
  ...[
    '2025-02-28T10:00:00Z',
    '2025-02-29T10:00:00Z',
    '2024-02-29T10:00:00Z',
    '2025-02-30T10:00:00Z',
    '2025-13-01T10:00:00Z',
  ],
  ...[
    '2025-11-20',
    '2025-11',
    '20251120',
    '2025-W47',
    '2025-W47-4',
    '2025-324',
    '2025-366',
    '2024-366',
    '+012025-01-01T00:00:00Z',
  ],
  ...[
    '2025-11-20T10:15',
    '2025-11-20T10:15:30',
    '2025-11-20 10:15:30Z',
    '2025-11-20T24:00:00Z',
    '2025-11-20T23:59:60Z',
  ],
  ...[
    '2025-11-20T10:15:30,5Z',
    '2025-11-20T10:15:30.123456789Z',
    '2025-11-20T10:15:30+0100',
    '2025-11-20T10:15:30+25:00',
  ],
  ...['2025-11-20t10:15:30z', '2025-11-20T10:15:30Z\n', '1969-12-31T23:59:59Z', 'now', 'Thu, 20 Nov 2025 10:00:00 GMT'],
];
const OTHERS = [
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  200,
  299,
  300,
  1e9,
  1e9 + 1,
  1e21,
  [],
  [[]],
  [null],
  ['x'],
  [1],
  {},
  [{}],
  { a: 1 },
];
/** JSON texts that are awkward to write with JSON.stringify: unusual numbers, and keys that every object inherits. */
const RAW = ['1e400', '-0', '{"__proto__":{"a":1}}', '{"constructor":1}', '{"constructor":{"prototype":{}}}'];
/** Unknown fields, which must be ignored. Some have names that every object inherits. */
const FOREIGN_KEYS = [
  'unknown',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'then',
  '',
];

/**
 * Systematically changes a sample, and returns the changed samples one by one:
 * - Each field, however deep, is left out, emptied, and given values of each other type, values at and beyond usual limits, and times in odd
 *   forms.
 * - Each list also gets 100 to 1,001 entries. Of the entries of a list, only the first is changed.
 * - Each object gets unknown fields.
 */
export function* mutationsOf(sample: object): Generator<Mutation> {
  for (const path of pathsOf(sample)) {
    const at = path.join('.');
    if (path.length > 0) {
      yield { name: `${at} left out`, json: changed(sample, path, undefined) };
      for (const value of [...TEXTS, ...TIMES, ...OTHERS]) {
        yield {
          name: `${at} = ${JSON.stringify(value).slice(0, 40)}`,
          json: changed(sample, path, JSON.stringify(value)),
        };
      }
      for (const raw of RAW) yield { name: `${at} = ${raw}`, json: changed(sample, path, raw) };
    }
    yield* mutationsInside(sample, path);
  }
}

function* mutationsInside(sample: object, path: readonly string[]): Generator<Mutation> {
  const at = path.join('.');
  const value = path.reduce<unknown>((one, name) => (one as Json)[name], sample);
  const text = JSON.stringify(value);
  if (Array.isArray(value)) {
    for (const length of [100, 101, 1000, 1001]) {
      const entries = Array.from({ length }, () => value[0] ?? 'x');
      yield { name: `${at} of ${length}`, json: changed(sample, path, JSON.stringify(entries)) };
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const key of FOREIGN_KEYS) {
      for (const foreign of ['1', '{"constructor":{"a":[{"__proto__":1}]}}', '[{"constructor":1}]']) {
        const member = `${JSON.stringify(key)}:${foreign}`;
        const inner = text === '{}' ? `{${member}}` : `{${member},${text.slice(1)}`;
        yield { name: `${at} with ${member}`, json: changed(sample, path, inner) };
      }
    }
    for (const name of Object.keys(value)) {
      // JSON cannot express an array with named fields. The nearest form is an array with the value of one field.
      yield { name: `${at} = [${name}]`, json: changed(sample, path, JSON.stringify([(value as Json)[name]])) };
    }
  }
}

/** Returns the path of each part of a value, including the value itself. Of an array, only the first entry is included. */
function* pathsOf(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  yield path;
  if (typeof value !== 'object' || value === null) return;
  const names = Array.isArray(value) ? Object.keys(value).slice(0, 1) : Object.keys(value);
  for (const name of names) yield* pathsOf((value as Json)[name], [...path, name]);
}

const MARK = 'the place of the change';

/** Returns the sample with the value at a path replaced by JSON text; undefined removes the value. */
function changed(sample: object, path: readonly string[], text: string | undefined): string {
  if (path.length === 0) return text ?? 'null';
  const copy = structuredClone(sample) as Json;
  const parent = path.slice(0, -1).reduce<Json>((one, name) => one[name] as Json, copy);
  const last = path.at(-1) as string;
  if (text === undefined && Array.isArray(parent)) parent.splice(Number(last), 1);
  else parent[last] = text === undefined ? undefined : MARK;
  return JSON.stringify(copy).replace(JSON.stringify(MARK), () => text ?? '');
}
