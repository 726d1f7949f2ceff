import { ApiSchema } from '@nestjs/swagger';
import { type Environment, ENVIRONMENTS } from '@tandem/contracts';
import {
  EnumField,
  IntegerField,
  KnownParametersOnly,
  ObjectField,
  TextField,
  TimeField,
  timeOf,
} from '@tandem/http-api';

/*
 * Figures of postbacks and vouchers, which partner-gateway requests from the apps that own and count them: postback-dispatcher and
 * voucher-service. Both have the same routes. Partners and managers get these figures unchanged.
 */

/** `GET` with {@link FindFigures}: 200 {@link PostbackFigures} of postback-dispatcher, {@link VoucherFigures} of voucher-service. */
export const figuresPath = (): string => '/internal/statistics';

/** `POST` with {@link RecountFigures}: 200 {@link RecountedFigures}. May be repeated. */
export const figuresRecountPath = (): string => '/internal/statistics/recount';

/** Selects figures by partner, environment and time. */
@KnownParametersOnly()
export class FindFigures {
  @TextField({
    min: 1,
    max: 255,
    storable: true,
    optional: true,
    description: 'Default: all partners together',
  })
  partnerId?: string;

  @EnumField(ENVIRONMENTS)
  environment!: Environment;

  @TimeField({ description: 'Inclusive. Must be the beginning of a quarter of an hour' })
  from!: string;

  @TimeField({ description: 'Exclusive' })
  to!: string;
}

/** Selects figures as {@link FindFigures} does, but has dates instead of texts. Without `partnerId`, the figures cover all partners together. */
export interface FigureRange {
  readonly partnerId: string | undefined;
  readonly environment: Environment;
  readonly from: Date;
  readonly to: Date;
}

export const rangeOf = ({ partnerId, environment, from, to }: FindFigures): FigureRange => ({
  partnerId,
  environment,
  from: timeOf(from),
  to: timeOf(to),
});

/** Upper bounds of the latency classes of first attempts, in ms. Slower attempts have a class of their own. */
export const LATENCY_BOUNDS_MS = [50, 100, 250, 500, 1_000, 2_500, 5_000] as const;

/** What the figures report for a 95th percentile above the last of these bounds, ms: the default timeout of an attempt. */
export const SLOWEST_MS = 15_000;

/** How long the first attempts of deliveries took. */
@ApiSchema({ name: 'FirstAttemptFigures' })
export class FirstAttemptFigures {
  @IntegerField({ min: 0, nullable: true, example: 84, description: 'The average, ms. Null if no attempt was made' })
  averageMs!: number | null;

  @IntegerField({
    min: 0,
    nullable: true,
    example: 250,
    description: `The 95th percentile, ms, rounded up to one of ${LATENCY_BOUNDS_MS.join(', ')}; ${SLOWEST_MS} stands for any longer time. Null if no attempt was made`,
  })
  p95Ms!: number | null;
}

/** Counts of deliveries. Each delivery is counted at the time of its creation. */
@ApiSchema({ name: 'PostbackFigures' })
export class PostbackFigures {
  @IntegerField({ min: 0, example: 118, description: 'Number of deliveries that the endpoint accepted' })
  delivered!: number;

  @IntegerField({
    min: 0,
    example: 2,
    description: 'Number of deliveries that have permanently failed and have not been replayed since',
  })
  failed!: number;

  @ObjectField(() => FirstAttemptFigures, { description: 'How long the first attempt of each delivery took' })
  firstAttempt!: FirstAttemptFigures;
}

/** Counts of coupons. A coupon counts as created at the time of its creation, and as redeemed at the time of its redemption. */
@ApiSchema({ name: 'VoucherFigures' })
export class VoucherFigures {
  @IntegerField({ min: 0, example: 500, description: 'Number of coupons that were created' })
  created!: number;

  @IntegerField({ min: 0, example: 40, description: 'Number of coupons that were redeemed' })
  redeemed!: number;
}

/** Selects the figures that are recounted: those of a partner, or the totals of all partners. */
export class RecountFigures {
  @TextField({
    min: 1,
    max: 255,
    storable: true,
    nullable: true,
    description: 'Null recounts the totals of all partners by adding up the partners’ figures',
  })
  partnerId!: string | null;
}

/** The outcome of a recount in one app. */
@ApiSchema({ name: 'RecountedFigures' })
export class RecountedFigures {
  @IntegerField({ min: 0, example: 0, description: 'Number of rows that were corrected' })
  corrected!: number;

  @TimeField({
    nullable: true,
    description:
      'Figures from before this time were left unchanged, because the rows that they count are no longer kept. Null if all were recounted',
  })
  since!: string | null;
}
