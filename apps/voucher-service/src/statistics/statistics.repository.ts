import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Environment } from '@tandem/contracts';
import { ALL_PARTNERS, queryPrepared, runnerOf } from '@tandem/database';
import type { VoucherFigures } from '@tandem/internal-api';
import { DataSource, type EntityManager } from 'typeorm';
import { COUNT_REDEEMED, FIND_FIGURES, RECOUNT_ALL, RECOUNT_PARTNER } from './coupon-statistic.statements';

/** A redeemed coupon. */
export interface CountedRedemption {
  readonly partnerId: string;
  readonly environment: Environment;
  /** An ISO 8601 date-time. */
  readonly redeemedAt: string;
}

/** Selects figures. Without `partnerId`, they are the totals of all partners. */
export interface FigureRange {
  readonly partnerId?: string;
  readonly environment: Environment;
  readonly from: Date;
  readonly to: Date;
}

/** The timeout is long because a recount reads all coupons of a partner. */
const RECOUNT_TIMEOUT_MS = 120_000;

/** Writes, reads and corrects the statistics of coupons. Created coupons are counted by the statement that inserts them. */
@Injectable()
export class StatisticsRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Counts redeemed coupons in the transaction that redeems them. Call this after all statements that may wait for a lock,
   * because other transactions wait for the statistics rows that it locks.
   */
  async countRedeemed(manager: EntityManager, coupons: readonly CountedRedemption[]): Promise<void> {
    await queryPrepared(runnerOf(manager), 'coupons-count-redeemed', COUNT_REDEEMED, [
      coupons.map(({ partnerId }) => partnerId),
      coupons.map(({ environment }) => environment),
      coupons.map(({ redeemedAt }) => redeemedAt),
    ]);
  }

  async find({ partnerId = ALL_PARTNERS, environment, from, to }: FigureRange): Promise<VoucherFigures> {
    const values = [partnerId, environment, from, to];
    const [row] = await queryPrepared<VoucherFigures>(this.dataSource, 'coupon-figures', FIND_FIGURES, values);
    return row ?? { created: 0, redeemed: 0 };
  }

  /** Recounts a partner's coupons; null recomputes the totals of all partners. @returns the number of corrected rows */
  recount(partnerId: string | null): Promise<number> {
    return this.dataSource.transaction(async (manager) => {
      await manager.query(`set local statement_timeout = ${RECOUNT_TIMEOUT_MS}`);
      const corrected: unknown[] =
        partnerId === null ? await manager.query(RECOUNT_ALL) : await manager.query(RECOUNT_PARTNER, [partnerId]);
      return corrected.length;
    });
  }
}
