import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { PageAnswer } from '../paging/page.dto';
import type { AuditEntryView } from './audit.service';

const ENTITIES = ['partner', 'partner_token', 'promotion', 'sale', 'voucher_group', 'postback', 'delivery'] as const;

/** Secrets and addresses are masked in it. */
const State = (): PropertyDecorator => ApiProperty({ type: 'object', additionalProperties: true, nullable: true });

@ApiSchema({ name: 'AuditEntry' })
export class AuditEntryDto implements AuditEntryView {
  @ApiProperty()
  id!: string;

  @ApiProperty({ format: 'date-time' })
  at!: string;

  @ApiProperty({ description: 'Who did it: the subject of the token' })
  actor!: string;

  @ApiProperty()
  requestId!: string;

  @ApiProperty({ example: 'token.rotated' })
  action!: string;

  @ApiProperty({ enum: ENTITIES })
  entity!: AuditEntryView['entity'];

  @ApiProperty()
  entityId!: string;

  @State()
  before!: object | null;

  @State()
  after!: object | null;
}

export class AuditPage extends PageAnswer {
  @ApiProperty({ type: AuditEntryDto, isArray: true, description: 'Newest first' })
  items!: AuditEntryDto[];
}

export const AUDIT_EXAMPLE: AuditEntryDto = {
  id: '42',
  at: '2026-03-01T12:00:00.000Z',
  actor: 'manager-1',
  requestId: 'order-1-attempt-1',
  action: 'promotion.changed',
  entity: 'promotion',
  entityId: 'prm_0f8fad5bd9cb469fa16570867728950e',
  before: { active: true },
  after: { active: false },
};
