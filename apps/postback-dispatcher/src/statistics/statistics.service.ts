import { Injectable, Logger } from '@nestjs/common';
import { BUCKET_MS } from '@tandem/database';
import { type FindFigures, type PostbackFigures, rangeOf, type RecountedFigures } from '@tandem/internal-api';
import { PostbackDispatcherConfig } from '../config';
import { retentionStart } from '../delivery/partition.rules';
import { firstAttemptFigures } from './latency.rules';
import { StatisticsRepository } from './statistics.repository';

/** Returns statistics of deliveries, and recounts them. */
@Injectable()
export class StatisticsService {
  private readonly logger = new Logger(StatisticsService.name);

  constructor(
    private readonly statistics: StatisticsRepository,
    private readonly config: PostbackDispatcherConfig,
  ) {}

  async figures(query: FindFigures): Promise<PostbackFigures> {
    const { delivered, failed, firstAttempts } = await this.statistics.find(rangeOf(query));
    return { delivered, failed, firstAttempt: firstAttemptFigures(firstAttempts) };
  }

  /**
   * Recounts a partner's deliveries or, without a partner, the totals of all partners. For a partner, only figures of deliveries within the
   * retention are compared: older deliveries may have been dropped, so their figures stay unchanged.
   */
  async recount(partnerId: string | null): Promise<RecountedFigures> {
    if (partnerId === null) return this.reported(null, await this.statistics.recountAll(), null);
    const kept = retentionStart(new Date(), this.config.POSTBACK_RETENTION_DAYS).getTime();
    // Skips the quarter of an hour in which the retention begins, and the next quarter, because some of their deliveries may have been
    // dropped.
    const since = new Date((Math.ceil(kept / BUCKET_MS) + 1) * BUCKET_MS);
    return this.reported(partnerId, await this.statistics.recountPartner(partnerId, since), since);
  }

  private reported(partnerId: string | null, corrected: number, since: Date | null): RecountedFigures {
    if (corrected > 0) this.logger.warn({ msg: 'statistics corrected', partnerId, rows: corrected });
    return { corrected, since: since?.toISOString() ?? null };
  }
}
