import { createHash } from 'node:crypto';

/**
 * Returns a 32-bit seed for a part of a run. The seed depends only on the given values, so a part makes the same
 * choices even if other parts of the run change.
 */
export const seedOf = (...parts: readonly (string | number)[]): number =>
  createHash('md5').update(parts.join('\0')).digest().readUInt32BE();

/** Makes the random choices of a mutation or a sequence. The same seed gives the same choices. */
export class Choice {
  private count = 0;

  constructor(private readonly seed: number) {}

  /** Returns an integer from 0 to `limit - 1`. */
  below(limit: number): number {
    return seedOf(this.seed, this.count++) % limit;
  }

  of<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }
}
