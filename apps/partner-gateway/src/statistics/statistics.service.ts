import { Injectable, Logger } from '@nestjs/common';
import { ALL_PARTNERS } from '@tandem/database';
import { ValidationFailedError, viewAs } from '@tandem/http-api';
import { Outbox } from '@tandem/messaging';
import type { DateTime } from 'luxon';
import type { Act } from '../audit/act';
import { AuditService } from '../audit/audit.service';
import { PartnerRepository } from '../partner/partner.repository';
import {
  PartnerFigures,
  type PartnerRanking,
  PeriodFigures,
  type RankingQuery,
  type Recount,
  SaleFigures,
  type Statistics,
  type StatisticsQuery,
} from './statistics.dto';
import { type Counted, StatisticsRepository } from './statistics.repository';
import { CountingApps } from './counting-apps';
import { type Periods, periodsOf } from './statistics.rules';

/** Returns and recounts statistics: sales by day, week or month, and postbacks and coupons for the whole range. */
@Injectable()
export class StatisticsService {
  private readonly logger = new Logger(StatisticsService.name);

  constructor(
    private readonly statistics: StatisticsRepository,
    private readonly apps: CountingApps,
    private readonly partners: PartnerRepository,
    private readonly audit: AuditService,
    private readonly outbox: Outbox,
  ) {}

  /** @throws ValidationFailedError */
  async figures(counted: Counted, query: StatisticsQuery, requestId: string): Promise<Statistics> {
    const { starts, by, timeZone } = validPeriodsOf(query);
    const days = starts.map((start) => start.toISODate());
    const times = starts.map((start) => start.toJSDate());
    // The first period of 1970 may begin in 1969: because of the time zone, or because the period is a whole week. The other apps refuse
    // times before 1970, so they are asked only from 1970 on. This omits no figures, because there are none from before 1970.
    const from = new Date(Math.max(0, Number(times[0])));
    const range = { from: from.toISOString(), to: times.at(-1)?.toISOString() as string };
    const { partnerId, environment } = counted;
    const [rows, ofApps] = await Promise.all([
      this.statistics.find(counted, times),
      this.apps.figures({ ...range, environment, partnerId: partnerId ?? undefined }, requestId),
    ]);
    return {
      ...daysOf({ starts }),
      by,
      timeZone,
      totals: rows.filter(({ period }) => period === null).map((row) => viewAs(SaleFigures, row)),
      items: rows
        .filter(({ period }) => period !== null)
        .map((row) => viewAs(PeriodFigures, { ...row, start: days[Number(row.period) - 1] as string })),
      ...ofApps,
    };
  }

  /** Returns the partners with the highest net amounts, in each currency. @throws ValidationFailedError */
  async ranking({ environment, limit, ...query }: RankingQuery): Promise<PartnerRanking> {
    const { starts, timeZone } = validPeriodsOf(query);
    const [from, end] = [starts[0], starts.at(-1)] as [DateTime<true>, DateTime<true>];
    const rows = await this.statistics.rank(environment, from.toJSDate(), end.toJSDate(), limit);
    return { ...daysOf({ starts }), timeZone, items: rows.map((row) => viewAs(PartnerFigures, row)) };
  }

  /** Recounts a partner's sales, postbacks and coupons. @throws PartnerNotFoundError, RecountTooLongError */
  async recountPartner(partnerId: string, act: Act): Promise<Recount> {
    await this.partners.get(partnerId);
    return this.recount(partnerId, act);
  }

  /** Recomputes the totals of all partners together. @throws RecountTooLongError */
  recountAll(act: Act): Promise<Recount> {
    return this.recount(null, act);
  }

  private async recount(partnerId: string | null, act: Act): Promise<Recount> {
    // The other apps are called before the transaction of this app's recount begins, so that the transaction holds no locks during the
    // calls. If the transaction fails, the caller can repeat the recount: the other apps then have nothing left to correct.
    const id = partnerId ?? ALL_PARTNERS;
    await this.outbox.transaction((manager) =>
      this.audit.record(manager, act, { action: 'statistics.recount_requested', id, before: null, after: null }),
    );
    const ofApps = await this.apps.recount(partnerId, act.requestId);
    const after = await this.outbox.transaction(async (manager) => {
      const recount = { corrected: await this.statistics.recount(manager, partnerId), ...ofApps };
      await this.audit.record(manager, act, { action: 'statistics.recounted', id, before: null, after: recount });
      return recount;
    });
    if (after.corrected > 0) this.logger.warn({ msg: 'statistics corrected', partnerId, rows: after.corrected });
    return after;
  }
}

/** @throws ValidationFailedError */
function validPeriodsOf(query: StatisticsQuery): Periods {
  const periods = periodsOf(query, new Date());
  if (Array.isArray(periods)) throw new ValidationFailedError(periods);
  return periods;
}

/** Returns the first and the last day of the given periods. */
const daysOf = ({ starts }: Pick<Periods, 'starts'>): { from: string; to: string } => ({
  from: starts[0]?.toISODate() as string,
  to: starts.at(-1)?.minus({ days: 1 }).toISODate() as string,
});
