import { ApiSchema, OmitType, PartialType } from '@nestjs/swagger';
import { EndpointLimits } from '@tandem/internal-api';
import {
  EnumField,
  FlagField,
  IntegerField,
  isEmail,
  LINE_OF_TEXT,
  ObjectField,
  PageOf,
  RuleField,
  TextField,
  TimeField,
} from '@tandem/http-api';
import { PageQuery } from '../paging/page.dto';
import { PARTNER_KINDS, type PartnerKind } from './partner.entity';

/** The partner's id in the examples of the OpenAPI documents. */
export const PARTNER_ID = 'ptn_7c9e6679742540de944be07fc1f90ae7';

export class CreatePartnerBody {
  @TextField({ min: 1, max: 200, ...LINE_OF_TEXT })
  name!: string;

  @EnumField(PARTNER_KINDS)
  kind!: PartnerKind;

  @RuleField(isEmail, {
    schema: { format: 'email', maxLength: 254 },
    message: '$property must be an e-mail address of at most 254 characters',
    optional: true,
    nullable: true,
    description: 'Stored encrypted. The partner’s sales to this address are held. Null: no address',
  })
  contactEmail?: string | null;

  @IntegerField({ min: 0, max: 90, optional: true, description: 'Default for a new partner: 30' })
  revokeWindowDays?: number;

  @ObjectField(() => EndpointLimits, {
    optional: true,
    description: 'Default for a new partner: the default of the platform',
  })
  endpointLimits?: EndpointLimits;
}

export class ChangePartnerBody extends PartialType(OmitType(CreatePartnerBody, ['kind']), {
  skipNullProperties: false,
}) {
  @FlagField({ optional: true })
  active?: boolean;
}

/** A manager's view of a partner. */
@ApiSchema({ name: 'Partner' })
export class PartnerDto {
  @TextField({ example: PARTNER_ID })
  id!: string;

  @TextField({ example: 'My shop' })
  name!: string;

  @EnumField(PARTNER_KINDS)
  kind!: PartnerKind;

  @FlagField({ description: 'Whether the account is active. Every request of an inactive account is refused' })
  active!: boolean;

  @TextField({ format: 'email', nullable: true, example: 'owner@example.com' })
  contactEmail!: string | null;

  @IntegerField({ example: 30, description: 'For how many days its sales can be revoked' })
  revokeWindowDays!: number;

  @ObjectField(() => EndpointLimits)
  endpointLimits!: EndpointLimits;

  @TimeField()
  createdAt!: Date;

  @TimeField()
  updatedAt!: Date;
}

export class PartnerPage extends PageOf(PartnerDto) {}

/** The answer of the operation that publishes `partner.changed` again for every partner. */
@ApiSchema({ name: 'Publication' })
export class Publication {
  @IntegerField({ min: 0, example: 42, description: 'Number of published events' })
  published!: number;
}

/** The filters of the list of partners. */
export class PartnersQuery extends PageQuery {
  @TextField({
    min: 1,
    max: 200,
    storable: true,
    optional: true,
    description:
      'Part of the name (upper and lower case do not matter), a complete id, the code of a promotion, or the last 4 characters of a token',
  })
  search?: string;

  @EnumField(PARTNER_KINDS, { optional: true })
  kind?: PartnerKind;

  @EnumField(['true', 'false'], { optional: true })
  active?: 'true' | 'false';
}

const Affected = (description: string): PropertyDecorator => IntegerField({ min: 0, example: 2, description });

/** The tokens, the promotion and the sales that a deactivation of the partner would affect now. */
@ApiSchema({ name: 'Deactivation' })
export class Deactivation {
  @Affected('Valid tokens, not counting those of portal sessions. Every request with one of them will be refused (403)')
  tokens!: number;

  @TextField({
    nullable: true,
    example: 'SHOP20',
    description: 'The code of the active promotion. New purchases with it will not qualify',
  })
  promotionCode!: string | null;

  @Affected('Sales that await a decision, counted up to 10,000. They can then be refused but not released')
  heldSales!: number;

  @Affected('Sales that are not paid yet, counted up to 10,000. They will fail when they are paid')
  pendingSales!: number;

  @Affected('Live sales of the last 30 days that have qualified. Their postbacks are not affected')
  recentSales!: number;
}
