import { AccessTokens, type AccessTokensOptions } from './access-tokens';
import { InvalidTokenError, JwksUnavailableError, UnauthorizedError } from './auth.errors';
import type { JwtVerifier, VerifiedToken } from './jwt-verifier';

const START = Date.UTC(2026, 0, 5);
const at = (seconds: number): Date => new Date(START + seconds * 1000);

/**
 * The tokens of these tests are texts: `<name>.<seconds until the token expires>`. A token named `bad` is refused, and
 * one named `unknown` cannot be verified.
 */
function accessTokens(options?: AccessTokensOptions) {
  const verify = jest.fn(async (text: string): Promise<VerifiedToken> => {
    const [name = '', life] = text.split('.');
    if (name === 'bad') throw new InvalidTokenError('refused');
    if (name === 'unknown') throw new JwksUnavailableError('issuer');
    const claims = { exp: START / 1000 + Number(life) };
    return { family: 'service', subject: name, scopes: new Set(), claims };
  });
  const tokens = new AccessTokens({ verify } as unknown as JwtVerifier, options);
  return { verify, authenticate: (text: string, now: Date) => tokens.authenticate(`Bearer ${text}`, now), tokens };
}

describe('AccessTokens', () => {
  it('verifies a token once per minute', async () => {
    const { verify, authenticate, tokens } = accessTokens();
    const first = await authenticate('a.600', at(0));
    expect(await authenticate('a.600', at(59))).toBe(first);
    expect([tokens.known('Bearer a.600', at(59)), tokens.known('Bearer b.600', at(59))]).toEqual([first, undefined]);
    expect([tokens.known('Bearer a.600', at(60)), tokens.known(undefined)]).toEqual([undefined, undefined]);
    expect(verify).toHaveBeenCalledTimes(1);
    await authenticate('a.600', at(60));
    expect(verify).toHaveBeenCalledTimes(2);
  });

  it('verifies a token again after the clock was set back', async () => {
    const { verify, authenticate } = accessTokens();
    await authenticate('a.600', at(0));
    await authenticate('a.600', at(-1));
    expect(verify).toHaveBeenCalledTimes(2);
  });

  it('does not remember a token beyond its exp', async () => {
    const { verify, authenticate } = accessTokens();
    await authenticate('a.10', at(0));
    await authenticate('a.10', at(9));
    expect(verify).toHaveBeenCalledTimes(1);
    await authenticate('a.10', at(10));
    expect(verify).toHaveBeenCalledTimes(2);
  });

  it('does not remember refused tokens, and remembers each valid token with its own subject', async () => {
    const { verify, authenticate } = accessTokens();
    for (let round = 0; round < 2; round++) {
      await expect(authenticate('bad.600', at(0))).rejects.toThrow(UnauthorizedError);
    }
    expect((await authenticate('a.600', at(0))).subject).toBe('a');
    expect((await authenticate('b.600', at(0))).subject).toBe('b');
    expect(verify).toHaveBeenCalledTimes(4);
  });

  it('remembers a token only once, whatever spaces and letter case the header has', async () => {
    const { verify, tokens } = accessTokens();
    const first = await tokens.authenticate('Bearer a.600', at(0));
    for (let spaces = 2; spaces < 50; spaces++) {
      expect(await tokens.authenticate(`bearer${' '.repeat(spaces)}a.600`, at(1))).toBe(first);
    }
    expect(verify).toHaveBeenCalledTimes(1);
    expect(tokens).toMatchObject({ kept: { size: 1 }, keptBytes: 5 });
  });

  it('remembers at most 16 MiB of tokens, and drops tokens that are older than a minute when a token is added', async () => {
    const { authenticate, tokens } = accessTokens();
    const long = (index: number): string => `${String(index).padEnd(8_000, 'x')}.600`;
    for (let index = 0; index < 2_500; index++) await authenticate(long(index), at(0));
    const { keptBytes } = tokens as unknown as { keptBytes: number };
    expect(keptBytes).toBeLessThanOrEqual(16 * 1024 * 1024);
    expect(keptBytes).toBeGreaterThan(15 * 1024 * 1024);
    await authenticate('late.600', at(61));
    expect(tokens).toMatchObject({ kept: { size: 1 }, keptBytes: 8 });
  });

  it('drops the oldest token when it remembers more than 10,000 tokens', async () => {
    const { verify, authenticate } = accessTokens();
    for (let index = 0; index <= 10_000; index++) await authenticate(`t${index}.600`, at(0));
    await authenticate('t1.600', at(1));
    expect(verify).toHaveBeenCalledTimes(10_001);
    await authenticate('t0.600', at(1));
    expect(verify).toHaveBeenCalledTimes(10_002);
  });

  it('refuses, without calling the verifier, a request that has no bearer token', async () => {
    const { verify, tokens } = accessTokens();
    for (const header of [undefined, '', 'Basic abc', 'Bearer']) {
      await expect(tokens.authenticate(header)).rejects.toThrow(UnauthorizedError);
    }
    expect(verify).not.toHaveBeenCalled();
  });

  it('refuses a token whose subject may not call, and passes the reason only to onRefused', async () => {
    const onRefused = jest.fn();
    const { authenticate } = accessTokens({ isSubject: (subject) => subject === 'a', onRefused });
    expect((await authenticate('a.600', at(0))).subject).toBe('a');
    await expect(authenticate('b.600', at(0))).rejects.toThrow(new UnauthorizedError());
    await expect(authenticate('bad.600', at(0))).rejects.toThrow(new UnauthorizedError());
    expect(onRefused.mock.calls).toEqual([['The subject of the token may not call this app'], ['refused']]);
  });

  it('throws JwksUnavailableError when the issuer’s keys cannot be read', async () => {
    const { authenticate } = accessTokens();
    await expect(authenticate('unknown.600', at(0))).rejects.toThrow(JwksUnavailableError);
  });
});
