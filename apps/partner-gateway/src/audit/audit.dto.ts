import { ApiSchema, OmitType } from '@nestjs/swagger';
import { PageOf, TextField } from '@tandem/service-defaults';
import { AuditEntry } from './audit.entity';

@ApiSchema({ name: 'AuditEntry' })
export class AuditEntryDto extends OmitType(AuditEntry, ['seq']) {
  @TextField({ example: '42' })
  id!: string;
}

export class AuditPage extends PageOf(AuditEntryDto) {}
