import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';

/** Reads what the audit trail of one partner is about. */
@Injectable()
export class AuditRepository {
  constructor(@InjectEntityManager() private readonly manager: EntityManager) {}

  /** Returns the ids of a partner, its tokens, promotions and portal links. */
  async findIdsOf(partnerId: string): Promise<string[]> {
    const rows = await this.manager.query<{ id: string }[]>(
      `select $1 as id
       union all select id from partner_token where partner_id = $1
       union all select id from promotion where partner_id = $1
       union all select id from portal_link where partner_id = $1`,
      [partnerId],
    );
    return rows.map(({ id }) => id);
  }
}
