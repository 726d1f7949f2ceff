import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { TandemError } from '../errors';
import { type Answer, RecordedPace, ScriptedPlatform, type SentRequest } from './scripted-platform';

const FOLDER = path.resolve(__dirname, '../../behaviours');

/** Reads a file of sdks/behaviours. */
export const readCases = (name: string): unknown => JSON.parse(readFileSync(path.join(FOLDER, `${name}.json`), 'utf8'));

export interface Behaviour {
  readonly name: string;
  readonly call: { readonly method: string; readonly positional?: unknown[]; readonly named?: Record<string, unknown> };
  readonly options?: { readonly timeoutMs?: number; readonly deadlineMs?: number; readonly maxRetries?: number };
  readonly answers: readonly Answer[];
  readonly requests: readonly {
    readonly method: string;
    readonly path: string;
    readonly query?: Record<string, string>;
    readonly headers?: Record<string, string>;
    readonly json?: unknown;
  }[];
  readonly waits: readonly (readonly [number, number])[];
  readonly sameHeader?: string;
  readonly result?: unknown;
  readonly error?: {
    readonly class: string;
    readonly fields?: readonly string[];
    readonly [property: string]: unknown;
  };
}

/** An SDK whose behaviour is tested. */
export interface TestedSdk {
  readonly token: string;
  /** Headers that each request must have, in addition to those that the behaviour names. */
  readonly headers: Readonly<Record<string, string | RegExp>>;
  /** The base class of its errors. */
  readonly TandemError: typeof TandemError;
  create(options: { baseUrl: string; fetch: typeof fetch }, pace: RecordedPace): object;
}

/**
 * Calls the method with the positional arguments, and with the named arguments as a last object. Returns the method's result; for an
 * iterator, all of its items.
 */
async function run(client: object, { method, positional = [], named }: Behaviour['call']): Promise<unknown> {
  const parts = method.split('.');
  const name = parts.pop() ?? '';
  type Target = Record<string, (...args: unknown[]) => unknown>;
  const target = parts.reduce((at, part) => (at as unknown as Record<string, Target>)[part] ?? {}, client as Target);
  const returned = target[name]?.(...positional, ...(named ? [named] : []));
  if (!(Symbol.asyncIterator in Object(returned))) return returned;
  const items = [];
  for await (const item of returned as AsyncIterable<unknown>) items.push(item);
  return items;
}

const caught = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (result) => ({ result }),
    (error: unknown) => error,
  );

function checkError(error: unknown, { class: name, fields, ...rest }: NonNullable<Behaviour['error']>, sdk: TestedSdk) {
  if (name === 'argument') {
    assert(error instanceof TypeError || error instanceof RangeError);
    return;
  }
  assert(error instanceof sdk.TandemError);
  const found = error as unknown as Record<string, unknown>;
  assert.equal(error.name, name);
  assert.deepEqual(Object.fromEntries(Object.keys(rest).map((key) => [key, found[key]])), rest);
  if (fields)
    assert.deepEqual(
      error.errors.map(({ field }) => field),
      fields,
    );
  assert(!String(error.stack).includes(sdk.token));
}

/** Returns a copy without undefined fields, which JSON does not have. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/**
 * Runs a behaviour. This function does not depend on a test runner, so it runs on every runtime.
 *
 * @throws AssertionError when the SDK behaves differently
 */
export async function checkBehaviour(behaviour: Behaviour, sdk: TestedSdk): Promise<void> {
  const platform = new ScriptedPlatform(behaviour.answers);
  const pace = new RecordedPace();
  const options = { baseUrl: 'https://api.example.com/', fetch: platform.fetch, ...behaviour.options };
  const outcome = await caught(run(sdk.create(options, pace), behaviour.call));

  if (behaviour.error) checkError(outcome, behaviour.error, sdk);
  else assert.deepEqual(plain(outcome), plain({ result: behaviour.result }));
  assert.deepEqual(
    platform.requests.map(({ method, url }) => `${method} ${url.origin}${url.pathname}`),
    behaviour.requests.map(({ method, path: at }) => `${method} https://api.example.com${at}`),
  );
  for (const [index, { query = {}, json, headers }] of behaviour.requests.entries()) {
    const sent = platform.requests[index] as SentRequest;
    assert.deepEqual(Object.fromEntries(sent.url.searchParams), query);
    assert.deepEqual(sent.json, json);
    const wanted: TestedSdk['headers'] = { authorization: `Bearer ${sdk.token}`, ...sdk.headers, ...headers };
    for (const [name, value] of Object.entries(wanted)) {
      if (value instanceof RegExp) assert.match(sent.headers.get(name) ?? '', value);
      else assert.equal(sent.headers.get(name), value);
    }
  }
  if (behaviour.sameHeader) {
    const values = new Set(platform.requests.map(({ headers }) => headers.get(behaviour.sameHeader ?? '')));
    assert.equal(values.size, 1);
    assert.match([...values][0] ?? '', /.{8}/);
  }
  assert.equal(pace.waits.length, behaviour.waits.length);
  for (const [index, [least, most]] of behaviour.waits.entries()) {
    const wait = pace.waits[index] ?? Number.NaN;
    assert(wait >= least && wait <= most, `the wait ${index} was ${wait} s`);
  }
}
