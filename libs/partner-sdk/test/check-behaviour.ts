import assert from 'node:assert/strict';
import type * as Sdk from '../src';
import type { Behaviour, HandlerBehaviour } from './behaviours';
import { RecordedPace, ScriptedPlatform } from './scripted-platform';
import { newSecret, signed } from './signed';

const TOKEN = 'ptk_test_token';

/** Calls the method with the positional arguments, then the named ones as an object. An iterator's result is all of its items. */
async function run(tandem: Sdk.Tandem, { method, positional = [], named }: Behaviour['call']): Promise<unknown> {
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

function checkError(error: unknown, expected: NonNullable<Behaviour['error']>, { TandemError }: typeof Sdk): void {
  const { class: name, fields, ...rest } = expected;
  if (name === 'argument') {
    assert(error instanceof TypeError || error instanceof RangeError);
    return;
  }
  assert(error instanceof TandemError);
  const found = error as unknown as Record<string, unknown>;
  assert.deepEqual(Object.fromEntries(Object.keys(rest).map((key) => [key, found[key]])), rest);
  assert.equal(error.name, name);
  if (fields)
    assert.deepEqual(
      error.errors.map(({ field }) => field),
      fields,
    );
  assert(!String(error.stack).includes(TOKEN));
}

/**
 * Runs a behaviour of calls. It uses nothing of a test runner, so it runs on every runtime.
 *
 * @throws AssertionError when the client behaves otherwise
 */
export async function checkBehaviour(behaviour: Behaviour, sdk: typeof Sdk): Promise<void> {
  const platform = new ScriptedPlatform(behaviour.answers);
  const pace = new RecordedPace();
  const options = { token: TOKEN, baseUrl: 'https://api.example.com/', fetch: platform.fetch, ...behaviour.options };
  const outcome = await caught(run(new sdk.Tandem(options, pace), behaviour.call));

  if (behaviour.error) checkError(outcome, behaviour.error, sdk);
  else assert.deepEqual(plain(outcome), plain({ result: behaviour.result }));
  const sent = platform.requests.map(({ method, url }) => `${method} ${url.origin}${url.pathname}`);
  const expected = behaviour.requests.map(({ method, path }) => `${method} https://api.example.com${path}`);
  assert.deepEqual(sent, expected);
  for (const [index, { query = {}, json, headers: wanted = {} }] of behaviour.requests.entries()) {
    const { url, headers, json: body } = platform.requests[index] as ScriptedPlatform['requests'][number];
    assert.deepEqual(Object.fromEntries(url.searchParams), query);
    assert.deepEqual(body, json);
    for (const [name, value] of Object.entries({ authorization: `Bearer ${TOKEN}`, ...wanted }))
      assert.equal(headers.get(name), value);
    assert.match(headers.get('user-agent') ?? '', /^tandem-partner-js\/\d/);
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

/** Without fields that are undefined, which JSON does not have. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const AUTHORIZATION = 'Bearer my-own-key';

/** Runs a behaviour of an endpoint. @throws AssertionError when the endpoint behaves otherwise */
export async function checkHandlerBehaviour(behaviour: HandlerBehaviour, sdk: typeof Sdk): Promise<void> {
  const secrets = { own: newSecret(), another: newSecret() };
  const seen = { booked: [] as string[], closed: [] as string[], calls: [] as string[], reported: 0 };
  const fails: Record<string, number> = { ...behaviour.fails };
  const attempt = (name: string): void => {
    fails[name] = (fails[name] ?? 0) - 1;
    if (fails[name] >= 0) throw new Error(`${name} has failed`);
  };
  const options: Sdk.PostbackHandlerOptions = {
    secrets: [secrets.own],
    authorization: AUTHORIZATION,
    store: behaviour.store ? scriptedStore(behaviour.store, seen.calls) : new sdk.MemoryStore(),
    onSale: ({ oid }, { isSample, isTest }) => {
      attempt('onSale');
      seen.booked.push([oid, ...(isSample ? ['sample'] : []), ...(isTest ? ['test'] : [])].join(' '));
    },
    onError: () => {
      seen.reported++;
      attempt('onError');
    },
  };
  const onSaleClosed: Sdk.PostbackHandlerOptions['onSaleClosed'] = ({ oid, status }) => {
    attempt('onSaleClosed');
    seen.closed.push(`${oid} ${status}`);
  };
  const handler = sdk.fetchHandler({ ...options, ...(behaviour.ignoresClosures ? {} : { onSaleClosed }) });
  for (const { id, body, times = 1, secondsAgo = 0, signedBy = 'own', headers, answer } of behaviour.posts) {
    const at = new Date(Date.now() - secondsAgo * 1000);
    const postback = signed({ secrets: [secrets[signedBy]], id, body: body.repeat(times), at });
    const all = { authorization: AUTHORIZATION, ...postback.headers, ...headers };
    const request = new Request('http://shop/tandem', { method: 'POST', headers: all, body: postback.body });
    const response = await handler(request);
    const retryAfter = response.headers.get('retry-after');
    const found = { status: response.status, text: await response.text(), ...(retryAfter ? { retryAfter } : {}) };
    assert.deepEqual(found, answer);
  }
  const { booked = [], closed = [], calls = seen.calls, reported = 0 } = behaviour;
  assert.deepEqual(seen, { booked, closed, calls, reported });
}

function scriptedStore(
  { fails = [], ...results }: NonNullable<HandlerBehaviour['store']>,
  calls: string[],
): Sdk.PostbackStore {
  const method = (name: string, script?: readonly unknown[]) => {
    const left = [...(script ?? [])];
    return async (id: string): Promise<never> => {
      calls.push(`${name} ${id}`);
      const result = left.shift();
      if (result === 'fails' || fails.includes(name)) throw new Error(`${name} has failed`);
      return result as never;
    };
  };
  if (results.isHandled) return { isHandled: method('isHandled', results.isHandled) };
  return { claim: method('claim', results.claim), done: method('done'), release: method('release') };
}
