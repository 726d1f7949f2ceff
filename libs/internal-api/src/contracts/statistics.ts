import { ApiSchema } from '@nestjs/swagger';
import { type Environment, ENVIRONMENTS } from '@tandem/contracts';
import { EnumField, IntegerField, KnownParametersOnly, ObjectField, TextField, TimeField } from '@tandem/http-api';

/*
 * Figures of postbacks and of vouchers, between partner-gateway (caller) and the apps that own and count them. The two apps have the
 * same routes. What partners and managers see of them are the answers here.
 */

/** `GET` with {@link FindFigures}: 200 {@link PostbackFigures} of postback-dispatcher, {@link VoucherFigures} of voucher-service. */
export const figuresPath = (): string => '/internal/statistics';

/** `POST` with {@link RecountFigures}: 200 {@link RecountedFigures}. May be repeated. */
export const figuresRecountPath = (): string => '/internal/statistics/recount';

/** Which figures. */
@KnownParametersOnly()
export class FindFigures {
  @TextField({ min: 1, max: 255, storable: true, optional: true, description: 'Left out: all partners together' })
  partnerId?: string;

  @EnumField(ENVIRONMENTS)
  environment!: Environment;

  @TimeField({ description: 'From then on: the beginning of a quarter of an hour' })
  from!: string;

  @TimeField({ description: 'Until before then' })
  to!: string;
}

/** Upper bounds of the classes in which first attempts are counted, in ms; slower ones are in a class of their own. */
export const LATENCY_BOUNDS_MS = [50, 100, 250, 500, 1_000, 2_500, 5_000] as const;

/** Stands for everything slower: the time limit of an attempt, by default. */
export const SLOWEST_MS = 15_000;

/** How fast endpoints answer. */
@ApiSchema({ name: 'FirstAttemptFigures' })
export class FirstAttemptFigures {
  @IntegerField({ min: 0, nullable: true, example: 84, description: 'Null: there was none' })
  averageMs!: number | null;

  @IntegerField({
    min: 0,
    nullable: true,
    example: 250,
    description: `95 of 100 took at most this long: ${LATENCY_BOUNDS_MS.join(', ')}, or ${SLOWEST_MS}, which stands for everything slower. Null: there was none`,
  })
  p95Ms!: number | null;
}

/** Deliveries by the time at which they were created. */
@ApiSchema({ name: 'PostbackFigures' })
export class PostbackFigures {
  @IntegerField({ min: 0, example: 118, description: 'Deliveries that your endpoint has accepted' })
  delivered!: number;

  @IntegerField({
    min: 0,
    example: 2,
    description: 'Deliveries that have failed for good, and were not replayed since',
  })
  failed!: number;

  @ObjectField(() => FirstAttemptFigures, { description: 'How long the first attempt of each delivery took' })
  firstAttempt!: FirstAttemptFigures;
}

/** Coupons, each created and redeemed at its own time. */
@ApiSchema({ name: 'VoucherFigures' })
export class VoucherFigures {
  @IntegerField({ min: 0, example: 500, description: 'Coupons that were created' })
  created!: number;

  @IntegerField({ min: 0, example: 40, description: 'Coupons that were redeemed' })
  redeemed!: number;
}

/** Whose figures are counted again. */
export class RecountFigures {
  @TextField({
    min: 1,
    max: 255,
    storable: true,
    nullable: true,
    description: 'Null: the rows of all partners, from those of each',
  })
  partnerId!: string | null;
}

/** The outcome of a recount in one app. */
@ApiSchema({ name: 'RecountedFigures' })
export class RecountedFigures {
  @IntegerField({ min: 0, example: 0, description: 'How many rows differed, and were corrected' })
  corrected!: number;

  @TimeField({
    nullable: true,
    description: 'Older figures were left as they are: what they counted is not kept any more. Null: all were counted',
  })
  since!: string | null;
}
