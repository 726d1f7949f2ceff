import { Injectable } from '@nestjs/common';
import { ATTENTION_SHOWN, type DispatcherAttention, MAX_ATTENTION } from '@tandem/internal-api';
import { DeadLetterLog } from '@tandem/messaging';
import { AttentionRepository } from './attention.repository';

/** Counts disabled, paused and failing endpoints, failed and held postbacks, and dead letters. Shows the first ATTENTION_SHOWN entries of each. */
@Injectable()
export class AttentionService {
  constructor(
    private readonly attention: AttentionRepository,
    private readonly deadLetters: DeadLetterLog,
  ) {}

  async read(): Promise<DispatcherAttention> {
    const [disabledCount, disabled, paused, failing, failed, held, letterCount, letters] = await Promise.all([
      this.attention.countDisabled(),
      this.attention.findDisabled(),
      this.attention.findPaused(),
      this.attention.findFailing(),
      this.attention.countFailed(),
      this.attention.countHeld(),
      this.deadLetters.count(MAX_ATTENTION),
      this.deadLetters.findNewest(ATTENTION_SHOWN),
    ]);
    const app = 'postback-dispatcher';
    return {
      disabledEndpoints: { count: disabledCount, items: disabled },
      pausedEndpoints: { count: paused.length, items: paused.slice(0, ATTENTION_SHOWN) },
      failingEndpoints: { count: failing.length, items: failing.slice(0, ATTENTION_SHOWN) },
      failedPostbacks: summaryOf(failed),
      heldPostbacks: summaryOf(held),
      deadLetters: {
        count: letterCount,
        items: letters.map((letter) => ({ ...letter, app, failedAt: letter.failedAt.toISOString() })),
      },
    };
  }
}

/** Returns the total of the counts, but at most MAX_ATTENTION, and the first ATTENTION_SHOWN of the counts. */
const summaryOf = <T extends { count: number }>(counts: readonly T[]): { count: number; items: T[] } => ({
  count: Math.min(
    counts.reduce((sum, { count }) => sum + count, 0),
    MAX_ATTENTION,
  ),
  items: counts.slice(0, ATTENTION_SHOWN),
});
