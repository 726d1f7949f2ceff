/** Finds accounts by the hashes of their tokens: each with its hash, and none for a hash that nobody has. */
export type FindAll<Account> = (hashes: readonly Buffer[]) => Promise<{ hash: Buffer; account: Account }[]>;

/**
 * Under way at a time. One more than one, so that a connection that has silently died holds nobody up; each further one makes
 * the shared queries smaller and more: with 50 callers at once, 4 cost a tenth more CPU for each request than 2.
 */
const QUERIES_AT_ONCE = 2;
const HASHES_A_QUERY = 200;

interface Lookup<Account> {
  readonly hash: Buffer;
  readonly found: Promise<Account | null>;
  readonly resolve: (account: Account | null) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Looks tokens up together: requests that come while queries are under way share the next one. No request gets an answer from
 * before it came, so a revoked token ends at once, and a busy process asks the database a fraction as often.
 */
export class TokenLookups<Account extends object> {
  private readonly waiting = new Map<string, Lookup<Account>>();
  private running = 0;

  constructor(private readonly findAll: FindAll<Account>) {}

  /** @returns null for a hash that nobody has @throws what the query throws */
  find(hash: Buffer): Promise<Account | null> {
    const key = hash.toString('base64');
    const lookup = this.waiting.get(key) ?? lookupOf<Account>(hash);
    this.waiting.set(key, lookup);
    if (this.running < QUERIES_AT_ONCE) void this.run();
    return lookup.found;
  }

  private async run(): Promise<void> {
    this.running++;
    while (this.waiting.size > 0) await this.answer(this.take());
    this.running--;
  }

  private take(): Map<string, Lookup<Account>> {
    const batch = new Map<string, Lookup<Account>>();
    for (const [key, lookup] of this.waiting) {
      if (batch.size === HASHES_A_QUERY) break;
      batch.set(key, lookup);
      this.waiting.delete(key);
    }
    return batch;
  }

  private async answer(batch: ReadonlyMap<string, Lookup<Account>>): Promise<void> {
    try {
      const accounts = await this.findAll([...batch.values()].map(({ hash }) => hash));
      for (const { hash, account } of accounts) batch.get(hash.toString('base64'))?.resolve(account);
      for (const lookup of batch.values()) lookup.resolve(null); // those that are resolved stay as they are
    } catch (error) {
      for (const lookup of batch.values()) lookup.reject(error as Error);
    }
  }
}

function lookupOf<Account>(hash: Buffer): Lookup<Account> {
  let resolve!: Lookup<Account>['resolve'];
  let reject!: Lookup<Account>['reject'];
  const found = new Promise<Account | null>((one, other) => {
    resolve = one;
    reject = other;
  });
  return { hash, found, resolve, reject };
}
