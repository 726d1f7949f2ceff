import { ApiProperty } from '@nestjs/swagger';
import { PARTNER_SCOPES } from '@tandem/auth';
import { type Environment, ENVIRONMENTS } from '@tandem/contracts';
import { PARTNER_KINDS, type PartnerKind } from './partner.entity';

/** What a partner sees of its own account, by one of its tokens. */
export class Account {
  @ApiProperty()
  id!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ enum: PARTNER_KINDS, description: 'Which endpoints the account may use' })
  integrationKind!: PartnerKind;

  @ApiProperty({ enum: ENVIRONMENTS, description: 'Of the token' })
  environment!: Environment;

  @ApiProperty({ enum: PARTNER_SCOPES, isArray: true, description: 'Of the token' })
  scopes!: readonly string[];

  @ApiProperty({ type: 'integer', minimum: 0, maximum: 90, description: 'How long a sale can be revoked' })
  revokeWindowDays!: number;
}

export const ACCOUNT_EXAMPLE: Account = {
  id: 'ptn_7c9e6679742540de944be07fc1f90ae7',
  name: 'My shop',
  integrationKind: 'promotion',
  environment: 'live',
  scopes: ['checkout:create', 'sales:revoke'],
  revokeWindowDays: 30,
};
