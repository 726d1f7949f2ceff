import { ApiSchema } from '@nestjs/swagger';
import { FlagField, IntegerField, PageOf, TextField, ViewOf } from '@tandem/http-api';
import { Promotion } from './promotion.entity';

const TAKES_THE_PLACE = 'Activating a promotion replaces the previous active one';

export class CreatePromotionBody {
  @TextField({
    pattern: /^[A-Za-z0-9_-]{1,64}$/,
    message: 'code must be 1 to 64 letters, digits, "-" or "_"',
    example: 'MYSHOP-20',
    description: 'Unique, regardless of case',
  })
  code!: string;

  @IntegerField({ min: 1, max: 100, example: 20 })
  percentOff!: number;

  @FlagField({ optional: true, description: 'Default: true. An active promotion replaces the previous active one' })
  active?: boolean;
}

export class ChangePromotionBody {
  @FlagField({ example: false, description: TAKES_THE_PLACE })
  active!: boolean;
}

/** A manager's view of a promotion. */
@ApiSchema({ name: 'Promotion' })
export class PromotionDto extends ViewOf(Promotion, { hidden: ['seq'] }) {}

export class PromotionPage extends PageOf(PromotionDto) {}
