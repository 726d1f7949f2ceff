import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';

/** A dead letter that was not replayed. */
export interface OpenDeadLetter {
  readonly id: string;
  readonly topic: string;
  readonly reason: string;
  readonly failedAt: Date;
}

/** Maximum number of dead letters of a topic that `findOpen` returns. */
const MOST = 10;

/** Finds events that this app could not handle, for example those of a sale or a user. */
@Injectable()
export class DeadLetterLog {
  constructor(@InjectEntityManager() private readonly manager: EntityManager) {}

  /**
   * @param keys the events' message keys, such as a sale's oid or a user's KRN
   * @returns the dead letters with these keys that were not replayed: the newest ten of each topic, newest first
   */
  findOpen(keys: readonly string[]): Promise<OpenDeadLetter[]> {
    return this.manager.query(
      `SELECT id, topic, reason, failed_at AS "failedAt"
       FROM (SELECT *, row_number() OVER (PARTITION BY topic ORDER BY id DESC) AS place FROM dead_letter
             WHERE key = ANY ($1) AND replayed_at IS NULL) AS open
       WHERE place <= ${MOST} ORDER BY id DESC`,
      [keys],
    );
  }

  /** Returns the newest `limit` dead letters that were not replayed, whatever their key, newest first. */
  findNewest(limit: number): Promise<OpenDeadLetter[]> {
    return this.manager.query(
      `SELECT id, topic, reason, failed_at AS "failedAt" FROM dead_letter
       WHERE replayed_at IS NULL ORDER BY id DESC LIMIT $1`,
      [limit],
    );
  }

  /**
   * Counts the dead letters that were not replayed.
   *
   * @param most the highest count to return: no further rows are read
   */
  async count(most: number): Promise<number> {
    const counted = `SELECT count(*)::int AS count FROM (SELECT FROM dead_letter WHERE replayed_at IS NULL LIMIT $1) AS open`;
    const [row] = await this.manager.query<[{ count: number }]>(counted, [most]);
    return row.count;
  }
}
