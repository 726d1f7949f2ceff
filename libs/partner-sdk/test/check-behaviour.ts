import assert from 'node:assert/strict';
import type { TestedSdk } from '../../../sdks/typescript/testing/behaviours';
import type * as Sdk from '../src';
import type { HandlerBehaviour } from './behaviours';
import { newSecret, signed } from './signed';

const TOKEN = 'ptk_test_token';

/** Returns the SDK for the tests that all SDKs in TypeScript have in common. @param sdk its sources, or the installed package */
export const testedSdk = ({ Tandem, TandemError }: typeof Sdk): TestedSdk => ({
  token: TOKEN,
  headers: { 'user-agent': /^tandem-partner-js\/\d/ },
  TandemError,
  create: (options, pace) => new Tandem({ token: TOKEN, ...options }, pace),
});

const AUTHORIZATION = 'Bearer my-own-key';

/** Runs a behaviour of an endpoint. @throws AssertionError when the endpoint behaves differently */
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
  const inTransaction = results.isHandled && { isHandled: method('isHandled', results.isHandled) };
  if (inTransaction && !results.claim) return inTransaction;
  return { claim: method('claim', results.claim), done: method('done'), release: method('release'), ...inTransaction };
}
