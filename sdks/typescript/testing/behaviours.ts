import { readFileSync } from 'node:fs';
import path from 'node:path';
import { TandemError } from '../errors';
import { RecordedPace, ScriptedPlatform } from './scripted-platform';

const FOLDER = path.resolve(__dirname, '../../behaviours');

/** Reads a file of sdks/behaviours. */
export const readCases = (name: string): unknown => JSON.parse(readFileSync(path.join(FOLDER, `${name}.json`), 'utf8'));

/** An answer of the platform, or the way in which none comes. */
export type Answer =
  | { readonly fails: 'refused' | 'reset' | 'silence' }
  | {
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly json?: unknown;
      readonly text?: string;
    };

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
  /** Headers of each request, in addition to those of the behaviour. */
  readonly headers: Readonly<Record<string, unknown>>;
  create(options: { baseUrl: string; fetch: typeof fetch }, pace: RecordedPace): object;
}

/** Calls the method with the positional arguments, then the named ones as an object. An iterator's result is all of its items. */
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

function expectError(error: unknown, { class: name, fields, ...rest }: NonNullable<Behaviour['error']>, token: string) {
  if (name === 'argument') {
    expect(error instanceof TypeError || error instanceof RangeError).toBe(true);
    return;
  }
  expect(error).toBeInstanceOf(TandemError);
  expect(error).toMatchObject({ name, ...rest });
  if (fields) expect((error as TandemError).errors.map(({ field }) => field)).toEqual(fields);
  expect(String((error as Error).stack)).not.toContain(token);
}

/** Runs a behaviour. @throws when the SDK behaves in another way */
export async function expectBehaviour(behaviour: Behaviour, sdk: TestedSdk): Promise<void> {
  const platform = new ScriptedPlatform(behaviour.answers);
  const pace = new RecordedPace();
  const options = { baseUrl: 'https://api.example.com/', fetch: platform.fetch, ...behaviour.options };
  const outcome = await caught(run(sdk.create(options, pace), behaviour.call));

  if (behaviour.error) expectError(outcome, behaviour.error, sdk.token);
  else expect(outcome).toEqual({ result: behaviour.result });
  expect(platform.requests.map(({ method, url }) => `${method} ${url.origin}${url.pathname}`)).toEqual(
    behaviour.requests.map(({ method, path }) => `${method} https://api.example.com${path}`),
  );
  for (const [index, expected] of behaviour.requests.entries()) {
    const { url, headers, json } = platform.requests[index] as (typeof platform.requests)[number];
    expect(Object.fromEntries(url.searchParams)).toEqual(expected.query ?? {});
    expect(json).toEqual(expected.json);
    expect(Object.fromEntries(headers)).toMatchObject({
      authorization: `Bearer ${sdk.token}`,
      ...sdk.headers,
      ...expected.headers,
    });
  }
  if (behaviour.sameHeader) {
    const values = new Set(platform.requests.map(({ headers }) => headers.get(behaviour.sameHeader ?? '')));
    expect([values.size, [...values][0]]).toEqual([1, expect.stringMatching(/.{8}/)]);
  }
  expect(pace.waits.length).toBe(behaviour.waits.length);
  for (const [index, [least, most]] of behaviour.waits.entries()) {
    expect(pace.waits[index]).toBeGreaterThanOrEqual(least);
    expect(pace.waits[index]).toBeLessThanOrEqual(most);
  }
}
