import { ApiSchema } from '@nestjs/swagger';
import {
  AnyObjectField,
  EnumField,
  IntegerField,
  KnownParametersOnly,
  ListField,
  PageOf,
  TextField,
  TimeField,
} from '@tandem/http-api';
import { type ActDetails, type ActOutcome, OUTCOMES, SUPPORT_ACTIONS, type SupportAction } from './audit.entity';

/** The query parameters of every list of audit entries. */
@KnownParametersOnly()
export class AuditPageQuery {
  @TextField({ optional: true, pattern: /^\d{1,18}$/, message: 'cursor must be the nextCursor of a page' })
  cursor?: string;

  @IntegerField({ optional: true, min: 1, max: 500, fromText: true, default: 50 })
  limit = 50;

  @EnumField(['true', 'false'], {
    optional: true,
    description: '`false`: without the actions that only read, which are `user.search`, `user.read` and `audit.read`',
  })
  reads?: 'true' | 'false';
}

/** The query parameters of the list of actions of all staff. Without filters, the list contains all actions. */
export class AuditQuery extends AuditPageQuery {
  @TextField({
    optional: true,
    min: 1,
    max: 255,
    storable: true,
    description: 'Only actions of this person: the subject of the token',
  })
  actor?: string;

  @EnumField(SUPPORT_ACTIONS, {
    optional: true,
    description: 'Only this action. With `reads=false`, an action that only reads is refused',
  })
  action?: SupportAction;

  @TimeField({ optional: true, description: 'Only actions that began at this time or later' })
  from?: string;

  @TimeField({ optional: true, description: 'Only actions that began before this time' })
  to?: string;
}

const OUTCOME = {
  description:
    '`started`: the action is in progress, or its outcome could not be recorded, for example because the process ended. `refused`: the action was not carried out. `failed`: no answer came, or a service failed, so the action may or may not have taken effect',
};

@ApiSchema({ name: 'SupportAuditEntry' })
export class AuditEntryView {
  @TextField({ example: '42' })
  id!: string;

  @TextField({ example: 'agent-7', description: 'The subject of the token' })
  actor!: string;

  @EnumField(SUPPORT_ACTIONS)
  action!: SupportAction;

  @TextField({
    nullable: true,
    example: 'krn:tandem:dev:user:alice',
    description: 'The user. Null for an action that does not concern a single user',
  })
  krn!: string | null;

  @TextField({ nullable: true, example: 'case 17', description: 'The value of `X-Support-Reason`' })
  reason!: string | null;

  @TextField({ example: 'req-1' })
  requestId!: string;

  @AnyObjectField({ description: 'Names of fields, ids and counts; no personal data' })
  details!: ActDetails;

  @EnumField(OUTCOMES, OUTCOME)
  outcome!: ActOutcome;

  @TextField({
    nullable: true,
    example: 'user_busy',
    description: 'The code of the error, if the action was refused or failed',
  })
  error!: string | null;

  @TimeField()
  startedAt!: string;

  @TimeField({ nullable: true, description: 'Null while the outcome is `started`' })
  finishedAt!: string | null;
}

@ApiSchema({ name: 'SupportAuditPage' })
export class AuditPage extends PageOf(AuditEntryView) {}

@ApiSchema({ name: 'SupportErasure' })
export class Erasure {
  @TimeField()
  requested_at!: string;

  @TimeField({
    nullable: true,
    description:
      'When the user was erased. Null if the outcome is not `succeeded`. If an earlier request without an answer had already erased the user, this is when a repeated request confirmed the erasure',
  })
  erased_at!: string | null;

  @TextField({ example: 'agent-7', description: 'The subject of the token' })
  actor!: string;

  @TextField({ nullable: true, example: 'case 17', description: 'The value of `X-Support-Reason`' })
  reason!: string | null;

  @TextField({ example: 'req-1' })
  request_id!: string;

  @EnumField(OUTCOMES, OUTCOME)
  outcome!: ActOutcome;
}

@ApiSchema({ name: 'SupportErasures' })
export class Erasures {
  @ListField(() => Erasure, { description: 'Newest first, at most 50' })
  items!: Erasure[];
}
