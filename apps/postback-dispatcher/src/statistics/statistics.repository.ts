import { Injectable } from '@nestjs/common';
import { ALL_PARTNERS, queryPrepared, recountStatistics } from '@tandem/database';
import type { FigureRange } from '@tandem/internal-api';
import { DataSource } from 'typeorm';
import { FIND_FIGURES, LATENCY_COUNTERS, RECOUNT } from './delivery-statistic.statements';
import type { FirstAttempts } from './latency.rules';

/** Sums of the counters in `delivery_statistic`. */
export interface DeliveryFigures {
  readonly delivered: number;
  readonly failed: number;
  readonly firstAttempts: FirstAttempts;
}

/** Reads and corrects the statistics. The statements that change deliveries also update the statistics. */
@Injectable()
export class StatisticsRepository {
  constructor(private readonly dataSource: DataSource) {}

  async find({ partnerId = ALL_PARTNERS, environment, from, to }: FigureRange): Promise<DeliveryFigures> {
    const values = [partnerId, environment, from, to];
    const rows = await queryPrepared<Record<string, number>>(this.dataSource, 'delivery-figures', FIND_FIGURES, values);
    const of = (column: string): number => rows[0]?.[column] ?? 0;
    return {
      delivered: of('delivered'),
      failed: of('failed'),
      firstAttempts: {
        count: of('first_attempts'),
        totalMs: of('first_attempt_ms'),
        classes: LATENCY_COUNTERS.map(of),
      },
    };
  }

  /** Recounts a partner's deliveries that were created at or after `since`. @returns the number of corrected rows */
  recountPartner(partnerId: string, since: Date): Promise<number> {
    return this.recount([partnerId, since]);
  }

  /** Recomputes the totals of all partners from the rows of each partner. @returns the number of corrected rows */
  recountAll(): Promise<number> {
    return this.recount(null);
  }

  private recount(values: unknown[] | null): Promise<number> {
    return this.dataSource.transaction((manager) => recountStatistics(manager, RECOUNT, values));
  }
}
