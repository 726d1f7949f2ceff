import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { queryPrepared, runnerOf } from '@tandem/database';
import { DataSource, type EntityManager } from 'typeorm';
import { UNVERIFIED, type VerificationState } from './verification.rules';

const FIND = `
  select attempts, wait_until as "waitUntil", authenticated, last_attempt_at as "lastAttemptAt"
    from verification where krn = $1`;

const SAVE = `
  insert into verification (krn, attempts, wait_until, authenticated, last_attempt_at) values ($1, $2, $3, $4, $5)
  on conflict (krn) do update set attempts = excluded.attempts, wait_until = excluded.wait_until,
    authenticated = excluded.authenticated, last_attempt_at = excluded.last_attempt_at`;

/** What came of users' verifications. Written by whoever has the user's lock. */
@Injectable()
export class VerificationRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async get(krn: string): Promise<VerificationState> {
    const [row] = await queryPrepared<VerificationState>(this.dataSource, 'verification-find', FIND, [krn]);
    return row ?? UNVERIFIED;
  }

  async save(manager: EntityManager, krn: string, state: VerificationState): Promise<void> {
    const { attempts, waitUntil, authenticated, lastAttemptAt } = state;
    await queryPrepared(runnerOf(manager), 'verification-save', SAVE, [
      krn,
      attempts,
      waitUntil,
      authenticated,
      lastAttemptAt,
    ]);
  }

  async delete(manager: EntityManager, krn: string): Promise<void> {
    await manager.query('delete from verification where krn = $1', [krn]);
  }
}
