import { ApiSchema } from '@nestjs/swagger';
import { PageOf, TextField, ViewOf } from '@tandem/http-api';
import { AuditEntry } from './audit.entity';

@ApiSchema({ name: 'AuditEntry' })
export class AuditEntryDto extends ViewOf(AuditEntry, { hidden: ['seq'] }) {
  @TextField({ example: '42' })
  id!: string;
}

export class AuditPage extends PageOf(AuditEntryDto) {}
