import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Act } from './act';
import { Pages } from '../paging/pages';
import { type AuditedEntity, AuditEntry } from './audit.entity';
import type { AuditedAction } from './audited-actions';

type AuditedName = Exclude<AuditedEntity, 'partner_token'> | 'token';

/** An action and the values that it changed. Callers remove tokens and signing secrets from the values, and mask e-mail addresses. */
export interface AuditedChange {
  action: AuditedAction;
  /**
   * The id of the changed entity. There are two exceptions:
   * - an action on postbacks, a range of deliveries or the statistics of one partner has the id of the partner
   * - an action on the statistics of all partners, or the publication of all partners, has `*`
   */
  id: string;
  before?: object | null;
  after?: object | null;
}

@Injectable()
export class AuditService {
  private readonly logger = new Logger(AuditService.name);

  constructor(private readonly pages: Pages) {}

  /**
   * Adds an audit row. For an action on this app's own data, the caller passes the entity manager of the action's transaction, so that the
   * action and the row are committed together.
   */
  async record(manager: EntityManager, act: Act, change: AuditedChange): Promise<void> {
    const { action, id: entityId, before = null, after = null } = change;
    const [name] = action.split('.', 1) as [AuditedName];
    const entity = name === 'token' ? 'partner_token' : name;
    await manager.insert(AuditEntry, { ...act, action, entity, entityId, before, after });
  }

  /**
   * Adds the audit row which records that another app has carried out an action. It is the second row of the action: the first one recorded
   * the request. If the second row cannot be written, this method logs an error and does not throw, so that the caller still gets its answer:
   * the action was carried out, and the answer may contain a secret that is shown only once.
   */
  async recordDone(manager: EntityManager, act: Act, change: AuditedChange): Promise<void> {
    try {
      await this.record(manager, act, change);
    } catch (err) {
      this.logger.error({ msg: 'an action has no second audit row', action: change.action, entityId: change.id, err });
    }
  }

  /** Returns up to `limit` entries that record the given action on the given entity, newest first. */
  async findNewest(entityId: string, action: AuditedAction, limit: number): Promise<AuditEntry[]> {
    const page = await this.pages.find(AuditEntry, ['audit'], { entityId, action }, { limit });
    return page.items;
  }
}
