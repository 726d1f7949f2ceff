import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Environment } from '@tandem/contracts';
import { ALL_PARTNERS, queryPrepared, recountStatistics, runnerOf } from '@tandem/database';
import type { FigureRange, VoucherFigures } from '@tandem/internal-api';
import { DataSource, type EntityManager } from 'typeorm';
import { COUNT_REDEEMED, FIND_FIGURES, RECOUNT } from './coupon-statistic.statements';

/** A redeemed coupon, as the statistics count it. */
export interface CountedRedemption {
  readonly partnerId: string;
  readonly environment: Environment;
  /** An ISO 8601 date-time. */
  readonly redeemedAt: string;
}

/** Counts redeemed coupons, and reads and corrects the statistics. Created coupons are counted by the statement that inserts them. */
@Injectable()
export class StatisticsRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Counts redeemed coupons in the transaction that redeems them. Call this method after all statements that may wait for a lock: from this
   * call until the commit, other transactions that count in the same statistics rows have to wait.
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

  /** Recounts a partner's coupons. With null, recomputes the totals of all partners. @returns the number of corrected rows */
  recount(partnerId: string | null): Promise<number> {
    const values = partnerId === null ? null : [partnerId];
    return this.dataSource.transaction((manager) => recountStatistics(manager, RECOUNT, values));
  }
}
