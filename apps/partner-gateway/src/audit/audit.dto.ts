import { ApiSchema } from '@nestjs/swagger';
import { EnumField, PageOf, TextField, TimeField, ViewOf } from '@tandem/http-api';
import { PageQuery } from '../paging/page.dto';
import { type AuditedEntity, AuditEntry, ENTITIES } from './audit.entity';

/** A filter whose value an entry must match exactly. An empty string is refused, because no entry could match it. */
const Filter = (description: string): PropertyDecorator =>
  TextField({ min: 1, max: 255, storable: true, optional: true, description });

/** The filters of the list of audit entries. */
export class AuditQuery extends PageQuery {
  @Filter(
    'Who did it: the subject of a manager’s token. For a partner: `portal-link:` or `token:`, followed by the id of the link or token that it used',
  )
  actor?: string;

  @Filter('The kind of action, such as `sale.released`')
  action?: string;

  @EnumField(ENTITIES, { optional: true })
  entity?: AuditedEntity;

  @Filter('The id of what was changed. For an action on postbacks, the id of the partner or of the delivery')
  entityId?: string;

  @Filter(
    'A partner: actions on its account, endpoint, tokens, promotions, portal links, voucher groups and sales. Cannot be combined with `entityId`',
  )
  partnerId?: string;

  @TimeField({ optional: true, description: 'Only actions at this time or later' })
  from?: string;

  @TimeField({ optional: true, description: 'Only actions before this time' })
  to?: string;
}

@ApiSchema({ name: 'AuditEntry' })
export class AuditEntryDto extends ViewOf(AuditEntry, { hidden: ['seq'] }) {
  @TextField({ example: '42' })
  id!: string;

  @TextField({
    nullable: true,
    example: 'My shop',
    description: 'The current name of the partner that the action is about. Null when it is not about a partner',
  })
  partnerName!: string | null;
}

export class AuditPage extends PageOf(AuditEntryDto) {}
