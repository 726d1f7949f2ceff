import { TokenLookups } from './token-lookups';

interface Query {
  readonly hashes: readonly string[];
  readonly answer: (...known: string[]) => void;
  readonly fail: (error: Error) => void;
}

describe('look-ups of tokens', () => {
  let queries: Query[];
  let lookups: TokenLookups<{ name: string }>;
  beforeEach(() => {
    queries = [];
    lookups = new TokenLookups(
      (hashes) =>
        new Promise((resolve, reject) => {
          const answer = (...known: string[]): void =>
            resolve(known.map((name) => ({ hash: Buffer.from(name), account: { name } })));
          queries.push({ hashes: hashes.map(String), answer, fail: reject });
        }),
    );
  });
  const find = (name: string): Promise<{ name: string } | null> => lookups.find(Buffer.from(name));
  /** Lets everything go on that can. */
  const idle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('are asked at once, and answered each with its own', async () => {
    const found = [find('a'), find('b')];
    expect(queries.map(({ hashes }) => hashes)).toEqual([['a'], ['b']]);
    queries[0]?.answer('a');
    queries[1]?.answer();
    expect(await Promise.all(found)).toMatchObject([{ name: 'a' }, null]);
  });

  it('share the next query when enough are under way, and never one that has begun', async () => {
    const first = ['a', 'b'].map(find);
    const later = [find('a'), find('e'), find('e')];
    expect(queries).toHaveLength(2);
    queries[0]?.answer('a');
    await first[0];
    await idle();
    expect(queries[2]?.hashes).toEqual(['a', 'e']);
    const latest = find('a');
    queries[2]?.answer('e');
    expect(await Promise.all(later)).toMatchObject([null, { name: 'e' }, { name: 'e' }]);
    await idle();
    expect(queries[3]?.hashes).toEqual(['a']);
    queries[3]?.answer('a');
    expect(await latest).toMatchObject({ name: 'a' });
  });

  it('go on after a failure, which is told to all that shared the query', async () => {
    const first = ['a', 'b'].map(find);
    const later = [find('e'), find('f')].map((one) => one.catch((error: Error) => error.message));
    queries[0]?.answer('a');
    await first[0];
    await idle();
    queries[2]?.fail(new Error('away'));
    expect(await Promise.all(later)).toEqual(['away', 'away']);
    const last = find('g');
    queries.at(-1)?.answer('g');
    expect(await last).toMatchObject({ name: 'g' });
  });

  it('are split when there are very many', async () => {
    const all = Array.from({ length: 302 }, (_, index) => find(`t${index}`));
    queries[0]?.answer();
    await all[0];
    await idle();
    expect(queries[2]?.hashes).toHaveLength(200);
    queries[1]?.answer();
    await all[1];
    await idle();
    expect(queries[3]?.hashes).toHaveLength(100);
  });
});
