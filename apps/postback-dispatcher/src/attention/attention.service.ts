import { Injectable } from '@nestjs/common';
import { ATTENTION_SHOWN, type DispatcherAttention, MAX_ATTENTION } from '@tandem/internal-api';
import { DeadLetterLog } from '@tandem/messaging';
import { AttentionRepository } from './attention.repository';

/** Counts what needs attention, and shows the first few of each kind. */
@Injectable()
export class AttentionService {
  constructor(
    private readonly attention: AttentionRepository,
    private readonly deadLetters: DeadLetterLog,
  ) {}

  async read(): Promise<DispatcherAttention> {
    const [disabled, failed, letters] = await Promise.all([
      this.attention.findDisabled(),
      this.attention.findFailed(),
      this.deadLetters.findNewest(MAX_ATTENTION),
    ]);
    const failedCount = failed.reduce((sum, { count }) => sum + count, 0);
    const app = 'postback-dispatcher';
    const shown = letters.slice(0, ATTENTION_SHOWN);
    return {
      disabledEndpoints: { count: disabled.length, items: disabled.slice(0, ATTENTION_SHOWN) },
      failedPostbacks: { count: Math.min(failedCount, MAX_ATTENTION), items: failed.slice(0, ATTENTION_SHOWN) },
      deadLetters: {
        count: letters.length,
        items: shown.map((letter) => ({ ...letter, app, failedAt: letter.failedAt.toISOString() })),
      },
    };
  }
}
