import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { AuditRepository } from './audit.repository';
import type { OpenEntry } from './audit.service';

/**
 * Proves erasures whose answer was lost. In such a case, idp-api erased the user, but the entry of the request does not say so: the answer
 * did not arrive, or this app was killed before it finished the entry. A repeat of the request finds no user, because idp-api keeps nothing
 * about an erased user.
 */
@Injectable()
export class ErasureService {
  constructor(
    @InjectEntityManager() private readonly manager: EntityManager,
    private readonly entries: AuditRepository,
  ) {}

  /** Stores that idp-api has data of the user. Must be called before idp-api is asked to erase the user. */
  noteData(entry: OpenEntry): Promise<void> {
    return entry.store({ hadData: true });
  }

  /**
   * Records that a user whom idp-api does not know was erased by an earlier request that got no answer. One transaction stores the success
   * of this entry, which becomes the receipt, and ends the earlier entries that are still `started`. So a request that is still running
   * cannot become a second receipt.
   *
   * @returns true when this entry became the receipt; false when there is no such request, or another entry is already its receipt
   */
  proveLost(krn: string, entry: OpenEntry): Promise<boolean> {
    return this.manager.transaction(async (manager) => {
      const search = { krn, action: 'user.delete', before: entry.seq, detail: 'hadData' } as const;
      const lost = await this.entries.lockUnanswered(manager, search);
      const last = lost.at(-1);
      if (!last) return false;
      await this.entries.failStarted(
        manager,
        lost.map(({ seq }) => seq),
      );
      entry.note({ repeats: last.requestId });
      await entry.succeed(manager);
      return true;
    });
  }
}
