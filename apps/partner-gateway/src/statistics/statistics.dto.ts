import { ApiSchema } from '@nestjs/swagger';
import { type Environment, ENVIRONMENTS } from '@tandem/contracts';
import { RECOUNT_TIMEOUT_MS } from '@tandem/database';
import { EnumField, IntegerField, KnownParametersOnly, ListField, ObjectField, TextField } from '@tandem/http-api';
import { PostbackFigures, RecountedFigures, VoucherFigures } from '@tandem/internal-api';

/** The possible lengths of a period. */
export const PERIODS = ['day', 'week', 'month'] as const;
export type Period = (typeof PERIODS)[number];

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DateField = (description: string): PropertyDecorator =>
  TextField({ pattern: DATE, optional: true, description, format: 'date' });

/** Selects the days to count and the length of the periods. */
@KnownParametersOnly()
export class StatisticsQuery {
  @DateField('The first day, in the time zone. Left out: 29 days before `to`')
  from?: string;

  @DateField('The last day, in the time zone. Left out: today')
  to?: string;

  @EnumField(PERIODS, {
    optional: true,
    default: 'day',
    description: 'The length of a period. Weeks begin on Monday; weeks and months are whole ones, also at both ends',
  })
  by: Period = 'day';

  @TextField({
    min: 1,
    max: 64,
    optional: true,
    default: 'UTC',
    description: 'By which days begin and end: a name of the IANA database, such as `Europe/Berlin`',
  })
  timeZone = 'UTC';
}

@KnownParametersOnly()
export class ManagedStatisticsQuery extends StatisticsQuery {
  @EnumField(ENVIRONMENTS, { optional: true, default: 'live' })
  environment: Environment = 'live';

  @TextField({ min: 1, max: 255, storable: true, optional: true, description: 'Left out: all partners together' })
  partnerId?: string;
}

const Money = (description: string): PropertyDecorator =>
  TextField({ pattern: /^-?\d+\.\d{2}$/, example: '49.95', description });
const Count = (description: string, example = 1): PropertyDecorator => IntegerField({ example, description });

/** Sales in one currency. Each sale counts at its own time, whatever happens to it later. */
@ApiSchema({ name: 'SaleFigures' })
export class SaleFigures {
  @TextField({ example: 'USD', description: 'ISO 4217' })
  currency!: string;

  @Count('Sales that have qualified', 3)
  sales!: number;

  @Money('Their total')
  amount!: string;

  @Count('Sales that are held now', 0)
  held!: number;

  @Count('Of the sales: those that were revoked')
  revoked!: number;

  @Money('Their total')
  revokedAmount!: string;

  @Count('Of the sales: those that were refunded', 0)
  refunded!: number;

  @Money('Their total')
  refundedAmount!: string;

  @Count('Of the sales: those that were charged back', 0)
  chargedBack!: number;

  @Money('Their total')
  chargedBackAmount!: string;

  @Money('`amount` without what was revoked, refunded or charged back')
  netAmount!: string;
}

@ApiSchema({ name: 'PeriodFigures' })
export class PeriodFigures extends SaleFigures {
  @TextField({ pattern: DATE, format: 'date', example: '2026-03-01', description: 'The first day of the period' })
  start!: string;
}

@ApiSchema({ name: 'Statistics' })
export class Statistics {
  @TextField({ pattern: DATE, format: 'date', example: '2026-03-01', description: 'The first day that is counted' })
  from!: string;

  @TextField({ pattern: DATE, format: 'date', example: '2026-03-30', description: 'The last day that is counted' })
  to!: string;

  @EnumField(PERIODS)
  by!: Period;

  @TextField({ example: 'Europe/Berlin' })
  timeZone!: string;

  @ListField(() => SaleFigures, { description: 'Of all periods, by currency' })
  totals!: SaleFigures[];

  @ListField(() => PeriodFigures, {
    description: 'By period and currency, oldest first; a period without sales is left out',
  })
  items!: PeriodFigures[];

  @ObjectField(() => PostbackFigures, {
    nullable: true,
    description: 'Deliveries of the whole range, each counted at its creation. Null while they are unavailable',
  })
  postbacks!: PostbackFigures | null;

  @ObjectField(() => VoucherFigures, {
    nullable: true,
    description: 'Coupons of the whole range. Null while they are unavailable',
  })
  vouchers!: VoucherFigures | null;
}

const UNCOUNTED = `Null when their app is down or needs more than ${RECOUNT_TIMEOUT_MS / 1_000} s: nothing was changed there, so repeat the request`;

/** The outcome of a recount. */
@ApiSchema({ name: 'Recount' })
export class Recount {
  @IntegerField({ min: 0, example: 0, description: 'Number of rows of sales that were corrected' })
  corrected!: number;

  @ObjectField(() => RecountedFigures, {
    nullable: true,
    description: `The result for postbacks. ${UNCOUNTED}`,
  })
  postbacks!: RecountedFigures | null;

  @ObjectField(() => RecountedFigures, {
    nullable: true,
    description: `The result for vouchers. ${UNCOUNTED}`,
  })
  vouchers!: RecountedFigures | null;
}
