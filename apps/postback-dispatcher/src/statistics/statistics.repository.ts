import { Injectable } from '@nestjs/common';
import type { Environment } from '@tandem/contracts';
import { ALL_PARTNERS, queryPrepared } from '@tandem/database';
import { DataSource } from 'typeorm';
import { FIND_FIGURES, LATENCY_COUNTERS, RECOUNT_ALL, RECOUNT_PARTNER } from './delivery-statistic.statements';
import type { FirstAttempts } from './latency.rules';

/** Selects figures. Without `partnerId`, they are the totals of all partners. */
export interface FigureRange {
  readonly partnerId?: string;
  readonly environment: Environment;
  readonly from: Date;
  readonly to: Date;
}

/** The totals of deliveries in a range. */
export interface DeliveryFigures {
  readonly delivered: number;
  readonly failed: number;
  readonly firstAttempts: FirstAttempts;
}

/** The time limit of a recount, which reads all deliveries of a partner that are still kept, and their first attempts. */
const RECOUNT_TIMEOUT_MS = 120_000;

/** Reads and corrects the statistics that are written with the deliveries. */
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

  /** Recounts a partner's deliveries. @param since the time from which deliveries are recounted @returns the number of corrected rows */
  recountPartner(partnerId: string, since: Date): Promise<number> {
    return this.correct(RECOUNT_PARTNER, [partnerId, since]);
  }

  /** Recomputes the totals of all partners from the rows of each partner. @returns the number of corrected rows */
  recountAll(): Promise<number> {
    return this.correct(RECOUNT_ALL, []);
  }

  private correct(statement: string, values: unknown[]): Promise<number> {
    return this.dataSource.transaction(async (manager) => {
      await manager.query(`set local statement_timeout = ${RECOUNT_TIMEOUT_MS}`);
      return (await manager.query<unknown[]>(statement, values)).length;
    });
  }
}
