import { Tandem, TandemError } from '../src';
import { BEHAVIOURS, type Behaviour } from './behaviours';
import { RecordedPace, ScriptedPlatform } from './scripted-platform';

const TOKEN = 'ptk_test_token';

/**
 * Calls the method with the positional arguments, followed by the named arguments as an object. The result of an iterator is the
 * list of its items.
 */
async function run(tandem: Tandem, { method, positional = [], named }: Behaviour['call']): Promise<unknown> {
  const [resource = '', name = ''] = method.split('.');
  const target = (tandem as unknown as Record<string, Record<string, (...args: unknown[]) => unknown>>)[resource] ?? {};
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

function expectError(error: unknown, { class: name, fields, ...rest }: NonNullable<Behaviour['error']>): void {
  if (name === 'argument') {
    expect(error instanceof TypeError || error instanceof RangeError).toBe(true);
    return;
  }
  expect(error).toBeInstanceOf(TandemError);
  expect(error).toMatchObject({ name, ...rest });
  if (fields) expect((error as TandemError).errors.map(({ field }) => field)).toEqual(fields);
  expect(String((error as Error).stack)).not.toContain(TOKEN);
}

describe('the client in TypeScript', () => {
  it.each(BEHAVIOURS.map((behaviour) => [behaviour.name, behaviour] as const))('%s', async (_name, behaviour) => {
    const platform = new ScriptedPlatform(behaviour.answers);
    const pace = new RecordedPace();
    const options = { token: TOKEN, baseUrl: 'https://api.example.com/', fetch: platform.fetch, ...behaviour.options };
    const outcome = await caught(run(new Tandem(options, pace), behaviour.call));

    if (behaviour.error) expectError(outcome, behaviour.error);
    else expect(outcome).toEqual({ result: behaviour.result });
    expect(platform.requests.map(({ method, url }) => `${method} ${url.origin}${url.pathname}`)).toEqual(
      behaviour.requests.map(({ method, path }) => `${method} https://api.example.com${path}`),
    );
    for (const [index, expected] of behaviour.requests.entries()) {
      const { url, headers, json } = platform.requests[index] ?? fail();
      expect(Object.fromEntries(url.searchParams)).toEqual(expected.query ?? {});
      expect(json).toEqual(expected.json);
      expect(Object.fromEntries(headers)).toMatchObject({
        authorization: `Bearer ${TOKEN}`,
        'user-agent': expect.stringMatching(/^tandem-partner-js\/\d/),
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
  });
});

function fail(): never {
  throw new Error('a request is missing');
}
