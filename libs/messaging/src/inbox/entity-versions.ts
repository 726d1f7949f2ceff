import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/**
 * Guards against an older event overwriting newer state: events of one entity can arrive out of order after a replay.
 *
 *     if (context.version !== undefined && !(await this.versions.advance(context.manager, `sale:${event.oid}`, context.version))) return;
 */
@Injectable()
export class EntityVersions {
  /**
   * Raises the highest version seen of an entity, and locks it until the transaction ends.
   *
   * @param entity name of the entity within this app: its kind and id
   * @returns false when this or a newer version was seen before: the event must be skipped
   */
  async advance(manager: EntityManager, entity: string, version: number): Promise<boolean> {
    const rows: unknown[] = await manager.query(
      `INSERT INTO entity_version AS seen (entity, version) VALUES ($1, $2)
       ON CONFLICT (entity) DO UPDATE SET version = excluded.version, updated_at = now()
         WHERE seen.version < excluded.version
       RETURNING 1`,
      [entity, version],
    );
    return rows.length > 0;
  }
}
