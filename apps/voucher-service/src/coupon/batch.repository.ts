import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';

/** A batch: the coupons that one request created. */
export interface Batch {
  id: string;
  groupId: string;
  tokenId: string;
  /** How many coupons the request asked for; null when it gave no number. */
  requestedCount: number | null;
  count: number;
  firstSeq: string;
  lastSeq: string;
  createdAt: Date;
  expiresAt: Date | null;
}

/**
 * Stores batches and idempotency keys. Also takes the advisory locks of a creation of coupons: one lock for the partner token and, if the
 * request has an idempotency key, another lock for this key.
 */
@Injectable()
export class BatchRepository {
  /**
   * Tries to take an advisory lock, without waiting. Postgres releases the lock when the transaction ends.
   * @returns whether the lock was taken: false when another transaction holds the lock
   */
  async tryLock(manager: EntityManager, name: string): Promise<boolean> {
    const [row] = await manager.query<{ locked: boolean }[]>(
      'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked',
      [name],
    );
    return row?.locked === true;
  }

  async insert(manager: EntityManager, batch: Batch): Promise<void> {
    await manager.query(
      `insert into batch (id, group_id, token_id, requested_count, count, first_seq, last_seq, created_at, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        batch.id,
        batch.groupId,
        batch.tokenId,
        batch.requestedCount,
        batch.count,
        batch.firstSeq,
        batch.lastSeq,
        batch.createdAt,
        batch.expiresAt,
      ],
    );
  }

  /** Finds the batch that a token created with an idempotency key. @returns null if there is no such batch, or if the key has expired */
  async findByKey(
    manager: EntityManager,
    tokenId: string,
    { key, ttlSeconds }: { key: string; ttlSeconds: number },
  ): Promise<Batch | null> {
    const [batch] = await manager.query<Batch[]>(
      `select b.id, b.group_id as "groupId", b.token_id as "tokenId", b.requested_count as "requestedCount", b.count,
              b.first_seq as "firstSeq", b.last_seq as "lastSeq", b.created_at as "createdAt", b.expires_at as "expiresAt"
         from idempotency_key k
         join batch b on b.id = k.batch_id
        where k.token_id = $1 and k.key = $2 and k.created_at > now() - make_interval(secs => $3)`,
      [tokenId, key, ttlSeconds],
    );
    return batch ?? null;
  }

  /** Stores an idempotency key. Replaces an expired row of the same token and key, which `findByKey` did not find. */
  async insertKey(manager: EntityManager, batch: Batch, key: string): Promise<void> {
    await manager.query(
      `insert into idempotency_key (token_id, key, batch_id, created_at) values ($1, $2, $3, $4)
       on conflict (token_id, key) do update set batch_id = excluded.batch_id, created_at = excluded.created_at`,
      [batch.tokenId, key, batch.id, batch.createdAt],
    );
  }

  /** Deletes up to 20 expired keys. A creation that adds a key calls this method, so the table stays small. */
  async deleteOldKeys(manager: EntityManager, ttlSeconds: number): Promise<void> {
    await manager.query(
      `delete from idempotency_key
        where ctid = any (array(
          select ctid from idempotency_key
           where created_at <= now() - make_interval(secs => $1)
           order by created_at limit 20 for update skip locked))`,
      [ttlSeconds],
    );
  }
}
