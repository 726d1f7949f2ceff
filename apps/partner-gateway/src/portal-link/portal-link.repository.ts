import { Injectable } from '@nestjs/common';
import type { Page } from '@tandem/http-api';
import type { EntityManager } from 'typeorm';
import type { PageQuery } from '../paging/page.dto';
import { Pages } from '../paging/pages';
import { PortalLink } from './portal-link.entity';
import { PortalLinkNotFoundError } from './portal-link.errors';

/**
 * Marks the link as used, so that a code opens only one session. The first of several concurrent exchanges locks the row. The others wait
 * and, once the first is committed, find that the code is used. The clock of the database decides whether the code has expired.
 */
const REDEEM = `
  update portal_link set used_at = now()
   where code_hash = $1 and used_at is null and ended_at is null and expires_at > now()
  returning id`;

@Injectable()
export class PortalLinkRepository {
  constructor(private readonly pages: Pages) {}

  async insert(manager: EntityManager, link: Omit<PortalLink, 'seq'>): Promise<void> {
    await manager.insert(PortalLink, link);
  }

  findPage(partnerId: string, query: PageQuery): Promise<Page<PortalLink>> {
    return this.pages.find(PortalLink, ['portal-links', partnerId], { partnerId }, query);
  }

  /** @throws PortalLinkNotFoundError */
  async getForUpdate(manager: EntityManager, id: string): Promise<PortalLink> {
    const link = await manager.findOne(PortalLink, { where: { id }, lock: { mode: 'pessimistic_write' } });
    if (!link) throw new PortalLinkNotFoundError();
    return link;
  }

  /** Marks the link with this code as used. @returns null if the code is unknown, already used or expired, or if its link was ended */
  async redeem(manager: EntityManager, codeHash: Buffer): Promise<PortalLink | null> {
    const [[row]] = await manager.query<[{ id: string }[], number]>(REDEEM, [codeHash]);
    return row ? manager.findOneByOrFail(PortalLink, { id: row.id }) : null;
  }

  /** Ends a link, and the session if the link has already opened one. */
  async end(manager: EntityManager, id: string): Promise<void> {
    await manager.query('update portal_link set ended_at = now() where id = $1', [id]);
    await manager.query(
      'update partner_token set revoked_at = now() where portal_link_id = $1 and revoked_at is null',
      [id],
    );
  }
}
