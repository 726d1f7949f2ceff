import { PARTNER_SCOPES } from '@tandem/auth';
import { type Environment, ENVIRONMENTS } from '@tandem/contracts';
import { EnumField, EnumListField, IntegerField, TextField } from '@tandem/http-api';
import { PARTNER_ID } from '../partner/partner.dto';
import { PARTNER_KINDS, type PartnerKind } from '../partner/partner.entity';

/** What a partner sees of its own account, and of the token with which it sent the request. */
export class Account {
  @TextField({ example: PARTNER_ID })
  id!: string;

  @TextField({ example: 'My shop' })
  name!: string;

  @EnumField(PARTNER_KINDS, { description: 'Decides which operations the account may use' })
  integrationKind!: PartnerKind;

  @EnumField(ENVIRONMENTS, { description: 'The environment of the token' })
  environment!: Environment;

  @EnumListField(PARTNER_SCOPES, {
    example: ['checkout:create', 'sales:revoke'],
    description: 'The scopes of the token',
  })
  scopes!: readonly string[];

  @IntegerField({ min: 0, max: 90, example: 30, description: 'For how many days a sale can be revoked' })
  revokeWindowDays!: number;
}
