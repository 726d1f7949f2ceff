import { Injectable } from '@nestjs/common';
import { ATTENTION_SHOWN, type DispatcherAttention, MAX_ATTENTION } from '@tandem/internal-api';
import { DeadLetterLog } from '@tandem/messaging';
import { AttentionRepository } from './attention.repository';

/** Counts disabled endpoints, failed postbacks and dead letters, and shows the first few of each. */
@Injectable()
export class AttentionService {
  constructor(
    private readonly attention: AttentionRepository,
    private readonly deadLetters: DeadLetterLog,
  ) {}

  async read(): Promise<DispatcherAttention> {
    const [disabledCount, disabled, failed, letterCount, letters] = await Promise.all([
      this.attention.countDisabled(),
      this.attention.findDisabled(),
      this.attention.findFailed(),
      this.deadLetters.count(MAX_ATTENTION),
      this.deadLetters.findNewest(ATTENTION_SHOWN),
    ]);
    const failedCount = failed.reduce((sum, { count }) => sum + count, 0);
    const app = 'postback-dispatcher';
    return {
      disabledEndpoints: { count: disabledCount, items: disabled },
      failedPostbacks: { count: Math.min(failedCount, MAX_ATTENTION), items: failed.slice(0, ATTENTION_SHOWN) },
      deadLetters: {
        count: letterCount,
        items: letters.map((letter) => ({ ...letter, app, failedAt: letter.failedAt.toISOString() })),
      },
    };
  }
}
