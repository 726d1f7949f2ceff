import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { AuditRepository } from './audit.repository';
import type { OpenEntry } from './audit.service';

/**
 * Proves an erasure that idp-api carried out although the audit entry does not have the outcome `succeeded`: idp-api's answer did not arrive,
 * or this app was killed before it finished the entry. If the caller repeats the request, idp-api finds no user, because it keeps nothing
 * about an erased user. The entry of the repeated request then becomes the proof.
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
   * Records that a user whom idp-api does not know was erased by an earlier request to which idp-api gave no answer. One transaction sets
   * `entry` to `succeeded`, which makes it the proof of the erasure, and sets the earlier entries that are still `started` to `failed`. If an
   * earlier request is still running, its entry can therefore not become a second proof.
   *
   * @returns true when `entry` became the proof; false when there is no earlier request without an answer, or another entry already is the proof
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
