import { ApiSchema } from '@nestjs/swagger';
import { type Environment, ENVIRONMENTS } from '@tandem/contracts';
import { ALL_PARTNERS, RECOUNT_TIMEOUT_MS } from '@tandem/database';
import { EnumField, IntegerField, KnownParametersOnly, ListField, ObjectField, TextField } from '@tandem/http-api';
import { PostbackFigures, RecountedFigures, VoucherFigures } from '@tandem/internal-api';
import { NotEquals } from 'class-validator';

/** The possible lengths of a period. */
export const PERIODS = ['day', 'week', 'month'] as const;
export type Period = (typeof PERIODS)[number];

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DateField = (description: string): PropertyDecorator =>
  TextField({
    pattern: DATE,
    message: '$property must be a date of the form YYYY-MM-DD',
    optional: true,
    description,
    format: 'date',
  });

/** The parameters of statistics: the range of days, their time zone, and the length of the periods into which the range is divided. */
@KnownParametersOnly()
export class StatisticsQuery {
  @DateField('The first day, in the given time zone. Default: 29 days before `to`')
  from?: string;

  @DateField('The last day, in the given time zone. Default: today')
  to?: string;

  @EnumField(PERIODS, {
    optional: true,
    default: 'day',
    description:
      'The length of a period. Weeks begin on Monday. The range is extended to whole weeks or months at both ends',
  })
  by: Period = 'day';

  @TextField({
    min: 1,
    max: 64,
    optional: true,
    default: 'UTC',
    description: 'The time zone in which days begin and end, by its IANA name, such as `Europe/Berlin`',
  })
  timeZone = 'UTC';
}

@KnownParametersOnly()
export class ManagedStatisticsQuery extends StatisticsQuery {
  @EnumField(ENVIRONMENTS, { optional: true, default: 'live' })
  environment: Environment = 'live';

  @NotEquals(ALL_PARTNERS)
  @TextField({ min: 1, max: 255, storable: true, optional: true, description: 'Default: all partners together' })
  partnerId?: string;
}

/** The parameters of the ranking of partners: the range and the environment of the sales that count, and the number of partners. */
@KnownParametersOnly()
export class RankingQuery extends StatisticsQuery {
  @EnumField(ENVIRONMENTS, { optional: true, default: 'live' })
  environment: Environment = 'live';

  @IntegerField({
    min: 1,
    max: 100,
    optional: true,
    default: 10,
    fromText: true,
    description: 'The number of partners in each currency',
  })
  limit = 10;
}

const Money = (description: string): PropertyDecorator =>
  TextField({ pattern: /^-?\d+\.\d{2}$/, example: '49.95', description });
const Count = (description: string, example = 1): PropertyDecorator => IntegerField({ example, description });

/** Sales in one currency. Each sale counts in the period in which it was made, whatever happens to it later. */
@ApiSchema({ name: 'SaleFigures' })
export class SaleFigures {
  @TextField({ example: 'USD', description: 'ISO 4217' })
  currency!: string;

  @Count('Number of sales that have qualified', 3)
  sales!: number;

  @Money('The total amount of the sales that have qualified')
  amount!: string;

  @Count('Number of sales that are currently held', 0)
  held!: number;

  @Count('Number of sales that qualified and were revoked later')
  revoked!: number;

  @Money('The total amount of the revoked sales')
  revokedAmount!: string;

  @Count('Number of sales that qualified and were refunded later', 0)
  refunded!: number;

  @Money('The total amount of the refunded sales')
  refundedAmount!: string;

  @Count('Number of sales that qualified and were charged back later', 0)
  chargedBack!: number;

  @Money('The total amount of the charged-back sales')
  chargedBackAmount!: string;

  @Money('`amount` without the sales that were revoked, refunded or charged back')
  netAmount!: string;
}

@ApiSchema({ name: 'PeriodFigures' })
export class PeriodFigures extends SaleFigures {
  @TextField({ pattern: DATE, format: 'date', example: '2026-03-01', description: 'The first day of the period' })
  start!: string;
}

@ApiSchema({ name: 'PartnerFigures' })
export class PartnerFigures extends SaleFigures {
  @IntegerField({ min: 1, example: 1, description: 'The place among the partners with sales in this currency' })
  rank!: number;

  @TextField({ example: 'ptn_01' })
  partnerId!: string;

  @TextField({ example: 'NetProtect Store' })
  partnerName!: string;
}

@ApiSchema({ name: 'PartnerRanking' })
export class PartnerRanking {
  @TextField({ pattern: DATE, format: 'date', example: '2026-03-01', description: 'The first day that is counted' })
  from!: string;

  @TextField({ pattern: DATE, format: 'date', example: '2026-03-30', description: 'The last day that is counted' })
  to!: string;

  @TextField({ example: 'Europe/Berlin' })
  timeZone!: string;

  @ListField(() => PartnerFigures, {
    description:
      'By currency, and in each currency by `netAmount`, the highest first. Partners without sales are omitted',
  })
  items!: PartnerFigures[];
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

  @ListField(() => SaleFigures, { description: 'Totals of all periods, by currency' })
  totals!: SaleFigures[];

  @ListField(() => PeriodFigures, {
    description: 'By period and currency, oldest first. Periods without sales are omitted',
  })
  items!: PeriodFigures[];

  @ObjectField(() => PostbackFigures, {
    nullable: true,
    description:
      'Deliveries of the whole range, counted by the time of their creation. Null while the figures are unavailable',
  })
  postbacks!: PostbackFigures | null;

  @ObjectField(() => VoucherFigures, {
    nullable: true,
    description: 'Coupons of the whole range. Null while the figures are unavailable',
  })
  vouchers!: VoucherFigures | null;
}

const UNCOUNTED = `Null when the app that counts them is down or needs more than ${RECOUNT_TIMEOUT_MS / 1_000} s. In both cases, these figures were not changed: repeat the request`;

/** The answer to a recount: the number of corrected rows of sales, and the results of the recounts of postbacks and of vouchers. */
@ApiSchema({ name: 'Recount' })
export class Recount {
  @IntegerField({ min: 0, example: 0, description: 'Number of corrected rows of the statistics of sales' })
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
