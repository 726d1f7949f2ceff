import { InvalidTokenError, type JwtVerifier, type VerifiedToken } from '@tandem/auth';
import { VerifiedTokens } from './verified-tokens';

const START = Date.UTC(2026, 0, 5);
const at = (seconds: number): Date => new Date(START + seconds * 1000);

/** Tokens are texts `<name>:<seconds until they expire>`; `bad` is refused. */
function tokens() {
  const verify = jest.fn(async (text: string): Promise<VerifiedToken> => {
    const [name = '', life] = text.split(':');
    if (name === 'bad') throw new InvalidTokenError('refused');
    const claims = { exp: START / 1000 + Number(life) };
    return { family: 'service', subject: name, scopes: new Set(), claims };
  });
  return { verify, verified: new VerifiedTokens({ verify } as unknown as JwtVerifier) };
}

describe('VerifiedTokens', () => {
  it('verifies a token once in a minute', async () => {
    const { verify, verified } = tokens();
    const first = await verified.verify('a:600', at(0));
    expect(await verified.verify('a:600', at(59))).toBe(first);
    expect(verify).toHaveBeenCalledTimes(1);
    await verified.verify('a:600', at(60));
    expect(verify).toHaveBeenCalledTimes(2);
  });

  it('does not keep a token beyond its exp', async () => {
    const { verify, verified } = tokens();
    await verified.verify('a:10', at(0));
    await verified.verify('a:10', at(9));
    expect(verify).toHaveBeenCalledTimes(1);
    await verified.verify('a:10', at(10));
    expect(verify).toHaveBeenCalledTimes(2);
  });

  it('keeps no token that was refused, and tells tokens apart by every character', async () => {
    const { verify, verified } = tokens();
    for (let round = 0; round < 2; round++) {
      await expect(verified.verify('bad:600', at(0))).rejects.toThrow(InvalidTokenError);
    }
    expect((await verified.verify('a:600', at(0))).subject).toBe('a');
    expect((await verified.verify('b:600', at(0))).subject).toBe('b');
    expect(verify).toHaveBeenCalledTimes(4);
  });

  it('forgets the oldest beyond 10,000', async () => {
    const { verify, verified } = tokens();
    for (let index = 0; index <= 10_000; index++) await verified.verify(`t${index}:600`, at(0));
    await verified.verify('t1:600', at(1));
    expect(verify).toHaveBeenCalledTimes(10_001);
    await verified.verify('t0:600', at(1));
    expect(verify).toHaveBeenCalledTimes(10_002);
  });
});
