import { inspect } from 'node:util';
import { RecordedPace, ScriptedPlatform } from '../../../sdks/typescript/testing/scripted-platform';
import {
  type Dashboard,
  Identity,
  type IdentityError,
  type IdentityOptions,
  isErr,
  isIdentityError,
  isLockError,
  isOk,
  SecondFactorRequiredError,
  type Section,
} from '../src';

const CHALLENGE = { 'www-authenticate': 'Bearer error="insufficient_user_authentication", acr_values="mfa"' };
const needsSecondFactor = { status: 400, headers: CHALLENGE, json: { BadRequest: { TwoFactorAuthRequired: {} } } };
const unauthorized = { status: 401, json: { error: 'unauthorized' } };
const enrolled = { status: 200, json: { enrollments: [] } };

const clientOf = (platform: ScriptedPlatform, options: Partial<IdentityOptions> = {}): Identity =>
  new Identity({ baseUrl: 'https://api.example.com', token: () => 't1', fetch: platform.fetch, ...options });
/** Returns a `fetch` that sends requests to the platform, and calls `abort` when the body of an answer has been read. */
const abortingAfter =
  ({ fetch: send }: ScriptedPlatform, abort: () => void): typeof fetch =>
  async (...request) => {
    const answer = await send(...request);
    const text = await answer.text();
    const read = (): Promise<string> => Promise.resolve(text).finally(abort);
    return Object.assign(new Response(text, answer), { text: read });
  };
const tokensOf = ({ requests }: ScriptedPlatform): (string | null)[] =>
  requests.map(({ headers }) => headers.get('authorization'));

describe('a second factor', () => {
  it('is requested once from the user, and the request is sent again with the new token', async () => {
    const platform = new ScriptedPlatform([needsSecondFactor, enrolled]);
    const challenges: SecondFactorRequiredError[] = [];
    const identity = clientOf(platform, {
      onSecondFactor: (challenge) => {
        challenges.push(challenge);
        return 't2';
      },
    });
    expect(await identity.enroll()).toEqual([]);
    expect(challenges).toMatchObject([{ code: 'TwoFactorAuthRequired', acrValues: 'mfa', status: 400 }]);
    expect(tokensOf(platform)).toEqual(['Bearer t1', 'Bearer t2']);
  });

  it('is not requested again if the new token has none either, and the call throws', async () => {
    const platform = new ScriptedPlatform([needsSecondFactor, needsSecondFactor]);
    const onSecondFactor = jest.fn(() => 't2');
    await expect(clientOf(platform, { onSecondFactor }).enroll()).rejects.toThrow(SecondFactorRequiredError);
    expect([onSecondFactor.mock.calls.length, platform.requests.length]).toEqual([1, 2]);
  });

  it('that is required makes the call throw if the app has no onSecondFactor', async () => {
    const platform = new ScriptedPlatform([needsSecondFactor]);
    await expect(clientOf(platform).dashboard()).rejects.toThrow(SecondFactorRequiredError);
  });

  it('is confirmed once for calls that need it at the same time, and again for a later call', async () => {
    const platform = new ScriptedPlatform([needsSecondFactor, needsSecondFactor, enrolled, enrolled]);
    let confirm = (_token: string): void => undefined;
    const onSecondFactor = jest.fn(() => new Promise<string>((resolve) => (confirm = resolve)));
    const identity = clientOf(platform, { onSecondFactor });
    const both = Promise.all([identity.enroll(), identity.enroll()]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    confirm('t2');
    expect(await both).toEqual([[], []]);
    expect(onSecondFactor).toHaveBeenCalledTimes(1);

    const later = new ScriptedPlatform([needsSecondFactor, enrolled, needsSecondFactor, enrolled]);
    const asked = jest.fn(() => 't2');
    const client = clientOf(later, { onSecondFactor: asked });
    await client.enroll();
    await client.enroll();
    expect(asked).toHaveBeenCalledTimes(2);
  });

  it('is not requested again if the user confirmed it for another call while this call waited before a retry', async () => {
    const busy = { status: 503, headers: { 'retry-after': '5' }, json: { error: 'busy' } };
    const platform = new ScriptedPlatform([busy, needsSecondFactor, enrolled, needsSecondFactor, enrolled]);
    let stored = 't1';
    const onSecondFactor = jest.fn(() => (stored = 't2'));
    const pace = new RecordedPace();
    const options = { baseUrl: 'https://api.example.com', token: () => stored, onSecondFactor, fetch: platform.fetch };
    const identity = new Identity(options, pace);
    const others: unknown[] = [];
    jest.spyOn(pace, 'sleep').mockImplementation(async () => void others.push(await identity.enroll()));
    expect(await identity.enroll()).toEqual([]);
    expect(others).toEqual([[]]);
    expect(onSecondFactor).toHaveBeenCalledTimes(1);
    expect(tokensOf(platform)).toEqual(['t1', 't1', 't2', 't1', 't2'].map((token) => `Bearer ${token}`));
  });

  it('is requested once when `token` returns a new token, but the new token has no second factor either', async () => {
    const platform = new ScriptedPlatform([needsSecondFactor, needsSecondFactor, enrolled]);
    let number = 0;
    const onSecondFactor = jest.fn(() => 'confirmed');
    expect(await clientOf(platform, { token: () => `t${++number}`, onSecondFactor }).enroll()).toEqual([]);
    expect(onSecondFactor).toHaveBeenCalledTimes(1);
    expect(tokensOf(platform)).toEqual(['Bearer t1', 'Bearer t2', 'Bearer confirmed']);
  });

  it('that the user is confirming is awaited by a later call, which does not call `token` again', async () => {
    const platform = new ScriptedPlatform([needsSecondFactor, needsSecondFactor, enrolled, enrolled]);
    const token = jest.fn(() => 't1');
    let confirm = (_token: string): void => undefined;
    const onSecondFactor = jest.fn(() => new Promise<string>((resolve) => (confirm = resolve)));
    const identity = clientOf(platform, { token, onSecondFactor });
    const first = identity.enroll();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const later = identity.enroll();
    await new Promise((resolve) => setTimeout(resolve, 20));
    confirm('t2');
    expect(await Promise.all([first, later])).toEqual([[], []]);
    expect([onSecondFactor.mock.calls.length, token.mock.calls.length]).toEqual([1, 3]);
  });

  it('that the user does not confirm makes the call throw the error of onSecondFactor', async () => {
    const refusal = new Error('the user went back');
    const onSecondFactor = () => Promise.reject(refusal);
    const platform = new ScriptedPlatform([needsSecondFactor]);
    await expect(clientOf(platform, { onSecondFactor }).enroll()).rejects.toBe(refusal);
  });

  it('is no longer awaited when the signal of the call aborts', async () => {
    const controller = new AbortController();
    const reason = new Error('the screen was closed');
    const onSecondFactor = () => {
      setTimeout(() => controller.abort(reason), 10);
      return new Promise<string>(() => undefined);
    };
    const identity = clientOf(new ScriptedPlatform([needsSecondFactor]), { onSecondFactor });
    await expect(identity.enroll({ signal: controller.signal })).rejects.toBe(reason);
  });
});

describe('a call whose signal aborts while the answer is read', () => {
  it.each([
    ['a second factor', needsSecondFactor],
    ['another token', unauthorized],
  ])('does not ask for %s', async (_name, answer) => {
    const controller = new AbortController();
    const reason = new Error('the screen was closed');
    const platform = new ScriptedPlatform([{ ...answer }]);
    const ask = jest.fn(() => Promise.reject(new Error('no connection')));
    const token = ({ refused }: { refused: boolean }) => (refused ? ask() : 't1');
    const options = { token, onSecondFactor: ask, fetch: abortingAfter(platform, () => controller.abort(reason)) };
    await expect(clientOf(platform, options).enroll({ signal: controller.signal })).rejects.toBe(reason);
    expect(ask).not.toHaveBeenCalled();
  });
});

describe('the token', () => {
  it('is requested once for a call, and once more when it is refused', async () => {
    const platform = new ScriptedPlatform([unauthorized, enrolled]);
    const token = jest.fn(async ({ refused }: { refused: boolean }) => (refused ? 't2' : 't1'));
    expect(await clientOf(platform, { token }).enroll()).toEqual([]);
    expect(token.mock.calls).toEqual([[{ refused: false }], [{ refused: true }]]);
    expect(tokensOf(platform)).toEqual(['Bearer t1', 'Bearer t2']);
  });

  it('is not requested for a call whose signal has already aborted', async () => {
    const reason = new Error('the screen was closed');
    // If no caller received this rejection, it would end a Node process.
    const token = jest.fn(() => Promise.reject(new Error('no connection')));
    const call = clientOf(new ScriptedPlatform([]), { token }).enroll({ signal: AbortSignal.abort(reason) });
    await expect(call).rejects.toBe(reason);
    expect(token).not.toHaveBeenCalled();
  });

  it('makes the call throw when it is refused twice, or when the app returns the refused token again', async () => {
    const twice = new ScriptedPlatform([unauthorized, unauthorized]);
    let number = 0;
    await expect(clientOf(twice, { token: () => `t${number++}` }).enroll()).rejects.toMatchObject({ status: 401 });
    const same = new ScriptedPlatform([unauthorized]);
    await expect(clientOf(same).enroll()).rejects.toMatchObject({ name: 'AuthenticationError', code: 'unauthorized' });
  });

  it.each(['', 'a b', 'x\n', undefined])('%j is refused before anything is sent', async (token) => {
    const platform = new ScriptedPlatform([]);
    await expect(clientOf(platform, { token: () => token as string }).enroll()).rejects.toThrow(TypeError);
    expect(platform.requests).toEqual([]);
  });

  it('does not appear in a log of the client object', async () => {
    const identity = clientOf(new ScriptedPlatform([enrolled]), { token: () => 'secret-token' });
    await identity.enroll();
    expect(`${inspect(identity, { depth: 9, showHidden: true })}${JSON.stringify(identity)}`).not.toContain('secret');
  });

  it.each<[string, Partial<IdentityOptions>]>([
    ['a token that is not a function', { token: 't1' as unknown as () => string }],
    ['an onSecondFactor that is not a function', { onSecondFactor: true as unknown as () => string }],
    ['a base URL with a path', { baseUrl: 'https://api.example.com/idp' }],
  ])('the client refuses %s', (_name, options) => {
    expect(() => clientOf(new ScriptedPlatform([]), options)).toThrow(TypeError);
  });
});

describe('types', () => {
  it('of sections are unions, in which only a section that was read has a value', () => {
    const read: Section<{ count: number }> = { ok: true, value: { count: 1 } } as Section<{ count: number }>;
    const text = (section: Section<{ count: number }>): string =>
      section.ok ? `${section.value.count}` : `no: ${section.error}`;
    expect([text(read), text({ ok: false, error: 'provider unavailable' })]).toEqual(['1', 'no: provider unavailable']);
    expect([isOk(read), isErr(read)]).toEqual([true, false]);
  });

  it('of different locks have different codes', async () => {
    const answers = [
      { status: 429, json: { BadRequest: { AttemptsTooEarly: { retry_after: 900 } } } },
      { status: 403, json: { BadRequest: { MaximumAttemptsReached: { max_allowed: 3 } } } },
    ];
    const screenOf = (error: IdentityError): string => {
      switch (error.code) {
        case 'AttemptsTooEarly':
          return `in ${error.retryAfterSeconds} s`;
        case 'MaximumAttemptsReached':
          return `support, after ${error.maxAllowed}`;
        default:
          return error.code;
      }
    };
    const identity = clientOf(new ScriptedPlatform(answers));
    const screens: string[] = [];
    for (let call = 0; call < 2; call++)
      await identity.enroll().catch((error: unknown) => {
        if (isLockError(error) && isIdentityError(error)) screens.push(screenOf(error));
      });
    expect(screens).toEqual(['in 900 s', 'support, after 3']);
  });

  it('of the dashboard keep sections that this version does not know', async () => {
    const json = { userAlerts: { Err: 'not yet known' }, newer: { Ok: { x: 1 } } };
    const dashboard = await clientOf(new ScriptedPlatform([{ status: 200, json }])).dashboard();
    expect(dashboard as Dashboard & { newer: unknown }).toEqual({
      userAlerts: { ok: false, error: 'not yet known' },
      newer: { ok: true, value: { x: 1 } },
    });
  });
});

describe('in React Native, whose URLSearchParams and signals are incomplete', () => {
  const original = globalThis.URLSearchParams;
  beforeAll(() => {
    globalThis.URLSearchParams = class {
      constructor() {
        throw new Error('not implemented');
      }
    } as unknown as typeof URLSearchParams;
  });
  afterAll(() => void (globalThis.URLSearchParams = original));

  it('a call is sent and retried', async () => {
    const sent: string[] = [];
    const send = (async (input: unknown) => {
      sent.push(String(input));
      const status = sent.length === 1 ? 503 : 200;
      return new Response(JSON.stringify({ userAlerts: [] }), { status });
    }) as typeof fetch;
    const options = { baseUrl: 'https://api.example.com', token: () => 't1', fetch: send };
    const identity = new Identity(options, new RecordedPace());
    expect(await identity.alerts.list({ bureau: 'exp', count: 5 })).toEqual([]);
    expect(sent[1]).toBe('https://api.example.com/idp/array/users/me/alerts?bureau=exp&count=5');
  });

  it('a signal without a reason ends a call with an AbortError', async () => {
    const listeners: (() => void)[] = [];
    const signal = { aborted: false, addEventListener: (_: string, run: () => void) => listeners.push(run) };
    const platform = new ScriptedPlatform([{ fails: 'silence' }]);
    const options = { signal: { ...signal, removeEventListener: () => undefined } as unknown as AbortSignal };
    const call = clientOf(platform).profile.get(options);
    setTimeout(() => {
      Object.assign(options.signal, { aborted: true });
      for (const listener of listeners) listener();
    }, 10);
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  });
});
