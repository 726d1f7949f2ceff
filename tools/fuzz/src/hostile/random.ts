import { createHash } from 'node:crypto';

/** Returns the seed of a part of a run: the part sends the same requests whichever other parts run. 32 bits. */
export const seedOf = (...parts: readonly (string | number)[]): number =>
  createHash('md5').update(parts.join('\0')).digest().readUInt32BE();

/** Chooses what a mutation may vary: the same for the same seed. */
export class Choice {
  private count = 0;

  constructor(private readonly seed: number) {}

  /** An integer from 0 to below the limit. */
  below(limit: number): number {
    return seedOf(this.seed, this.count++) % limit;
  }

  of<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }
}
