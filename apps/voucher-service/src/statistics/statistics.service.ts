import { Injectable, Logger } from '@nestjs/common';
import { type FindFigures, rangeOf, type RecountedFigures, type VoucherFigures } from '@tandem/internal-api';
import { StatisticsRepository } from './statistics.repository';

/** Returns statistics of coupons, and recounts them. */
@Injectable()
export class StatisticsService {
  private readonly logger = new Logger(StatisticsService.name);

  constructor(private readonly statistics: StatisticsRepository) {}

  figures(query: FindFigures): Promise<VoucherFigures> {
    return this.statistics.find(rangeOf(query));
  }

  /**
   * Recounts a partner's coupons or, without a partner, the totals of all partners. Coupons are kept forever, so a recount covers all of
   * them.
   */
  async recount(partnerId: string | null): Promise<RecountedFigures> {
    const corrected = await this.statistics.recount(partnerId);
    if (corrected > 0) this.logger.warn({ msg: 'statistics corrected', partnerId, rows: corrected });
    return { corrected, since: null };
  }
}
