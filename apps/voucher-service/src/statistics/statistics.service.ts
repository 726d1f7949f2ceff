import { Injectable, Logger } from '@nestjs/common';
import { type FindFigures, rangeOf, type RecountedFigures, type VoucherFigures } from '@tandem/internal-api';
import { StatisticsRepository } from './statistics.repository';

/** Returns and recounts figures of coupons. */
@Injectable()
export class StatisticsService {
  private readonly logger = new Logger(StatisticsService.name);

  constructor(private readonly statistics: StatisticsRepository) {}

  figures(query: FindFigures): Promise<VoucherFigures> {
    return this.statistics.find(rangeOf(query));
  }

  /** Recounts a partner's coupons or, without a partner, the totals of all partners. Coupons are kept forever, so all of them are counted. */
  async recount(partnerId: string | null): Promise<RecountedFigures> {
    const corrected = await this.statistics.recount(partnerId);
    if (corrected > 0) this.logger.warn({ msg: 'statistics corrected', partnerId, rows: corrected });
    return { corrected, since: null };
  }
}
