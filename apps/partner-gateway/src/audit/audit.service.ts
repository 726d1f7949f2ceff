import { Injectable, Logger } from '@nestjs/common';
import { type Page, timeOf, ValidationFailedError, viewsOf } from '@tandem/http-api';
import { And, type EntityManager, LessThan, MoreThanOrEqual, Raw } from 'typeorm';
import type { Act } from './act';
import { Pages } from '../paging/pages';
import { AuditEntryDto, type AuditQuery } from './audit.dto';
import { type AuditedEntity, AuditEntry } from './audit.entity';
import type { AuditedAction } from './audited-actions';

type AuditedName = Exclude<AuditedEntity, 'partner_token'> | 'token';

/** An action and the values that it changed. Callers remove tokens and signing secrets from the values, and mask e-mail addresses. */
export interface AuditedChange {
  action: AuditedAction;
  /**
   * The id of the changed entity. For postbacks, ranges of deliveries and the statistics of a partner: the id of the partner. For the
   * statistics or the publication of all partners: `*`.
   */
  id: string;
  before?: object | null;
  after?: object | null;
}

/**
 * Returns the condition that is true for entries about a partner. If `after` or `before` contains a `partnerId`, as for a promotion, the
 * condition compares this id. Otherwise it compares `entity_id`, which is the id of the partner for actions on the account, the postback
 * configurations or the statistics of one partner. The entry `voucher_group.change_requested` contains no id of a partner, so the condition
 * is false for it. The index `audit_entry_partner` has the same expression.
 */
const isOf = (partnerId: string) =>
  Raw(() => `coalesce(after ->> 'partnerId', before ->> 'partnerId', entity_id) = :partnerId`, { partnerId });

@Injectable()
export class AuditService {
  private readonly logger = new Logger(AuditService.name);

  constructor(private readonly pages: Pages) {}

  /**
   * Adds an audit row. For an action on this app's own data, the caller passes the manager of the action's transaction, so that the action
   * and the row are committed together.
   */
  async record(manager: EntityManager, act: Act, change: AuditedChange): Promise<void> {
    const { action, id: entityId, before = null, after = null } = change;
    const [name] = action.split('.', 1) as [AuditedName];
    const entity = name === 'token' ? 'partner_token' : name;
    await manager.insert(AuditEntry, { ...act, action, entity, entityId, before, after });
  }

  /**
   * Adds the second audit row, after an action that another app carried out. If the row cannot be written, an error is logged and the caller
   * still gets its answer: the action was carried out, and the answer may contain a secret that is shown only once.
   */
  async recordDone(manager: EntityManager, act: Act, change: AuditedChange): Promise<void> {
    try {
      await this.record(manager, act, change);
    } catch (err) {
      this.logger.error({ msg: 'an action has no second audit row', action: change.action, entityId: change.id, err });
    }
  }

  /** Returns the newest entry of this action on this entity, or null. */
  async findNewest(entityId: string, action: AuditedAction): Promise<AuditEntry | null> {
    const page = await this.pages.find(AuditEntry, ['audit'], { entityId, action }, { limit: 1 });
    return page.items[0] ?? null;
  }

  /**
   * Returns a page of entries, newest first.
   *
   * @throws InvalidCursorError for a cursor that was not issued for the same filters
   * @throws ValidationFailedError when `to` is not later than `from`, or when `partnerId` and `entityId` are both given
   */
  async listEntries(query: AuditQuery): Promise<Page<AuditEntryDto>> {
    const { actor, action, entity, entityId, partnerId, from, to } = query;
    if (from !== undefined && to !== undefined && timeOf(from) >= timeOf(to)) {
      throw new ValidationFailedError([{ field: 'to', message: 'to must be later than from' }]);
    }
    if (partnerId !== undefined && entityId !== undefined) {
      throw new ValidationFailedError([{ field: 'partnerId', message: 'partnerId cannot be combined with entityId' }]);
    }
    const times = [
      ...(from === undefined ? [] : [MoreThanOrEqual(timeOf(from))]),
      ...(to === undefined ? [] : [LessThan(timeOf(to))]),
    ];
    const given = Object.entries({ actor, action, entity, entityId }).filter(([, value]) => value !== undefined);
    const where = {
      ...Object.fromEntries(given),
      ...(partnerId !== undefined && { entityId: isOf(partnerId) }),
      ...(times.length > 0 && { at: And(...times) }),
    };
    // A cursor is valid only for the list and the filters that were signed with it. Older versions had no filter `partnerId`. Without
    // `partnerId`, the same values are signed as in those versions, so that their cursors stay valid.
    const filters = [actor, action, entity, entityId, from, to, ...(partnerId === undefined ? [] : [partnerId])];
    const list = filters.every((one) => one === undefined) ? ['audit'] : ['audit', ...filters];
    const page = await this.pages.find(AuditEntry, list, where, query);
    return viewsOf(page, (entry) => ({ id: entry.seq, ...AuditEntryDto.of(entry) }));
  }
}
