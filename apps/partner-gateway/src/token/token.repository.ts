import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { Batcher } from '@tandem/batching';
import type { Environment } from '@tandem/contracts';
import { queryPrepared } from '@tandem/database';
import type { Page } from '@tandem/http-api';
import { EntityManager } from 'typeorm';
import type { PageQuery } from '../paging/page.dto';
import { Pages } from '../paging/pages';
import type { PartnerKind } from '../partner/partner.entity';
import { PartnerToken } from './token.entity';
import { TokenNotFoundError } from './token.errors';

/** The partner and the token of a request, with the account data that endpoints need. */
export interface AuthenticatedPartner {
  tokenId: string;
  /** The id of the portal link whose session has the token; null for other tokens. */
  portalLinkId: string | null;
  partnerId: string;
  name: string;
  kind: PartnerKind;
  active: boolean;
  environment: Environment;
  scopes: readonly string[];
  revokeWindowDays: number;
  /** The id of the active promotion; null if the partner has none. */
  promotionId: string | null;
  percentOff: number | null;
}

/**
 * Authenticates requests in one query, which uses three indexes. Nothing is cached, because with a cache, a revoked token or a deactivated
 * promotion would stay valid for a while.
 */
export const AUTHENTICATE_SQL = `
  select t.hash, t.id as "tokenId", t.portal_link_id as "portalLinkId", t.partner_id as "partnerId", p.name, p.kind, p.active, t.environment,
         t.scopes, p.revoke_window_days as "revokeWindowDays", d.id as "promotionId", d.percent_off as "percentOff"
    from partner_token t
    join partner p on p.id = t.partner_id
    left join promotion d on d.partner_id = t.partner_id and d.active
   where t.hash = any ($1::bytea[]) and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())`;

/**
 * The timeout of a look-up. It is short, because all requests share a few concurrent look-ups: a look-up on a dead connection must not
 * block the requests for long.
 */
const LOOKUP_TIMEOUT_MS = 2_000;

/**
 * Up to two look-ups run concurrently, so that a dead connection does not block all requests. With a higher limit, each look-up would serve
 * fewer requests, so there would be more queries.
 */
const LOOKUPS = { concurrency: 2, maxSize: 200 };

type FoundAccount = AuthenticatedPartner & { hash: Buffer };

@Injectable()
export class TokenRepository {
  /**
   * Combines look-ups: requests that arrive while the maximum number of look-ups is running share the next one, so a busy process queries the
   * database far less often. A request never gets a result that was read before the request arrived, so a revocation takes effect immediately.
   */
  private readonly lookups = new Batcher<Buffer, AuthenticatedPartner | null>(LOOKUPS, (hashes) => this.lookUp(hashes));

  constructor(
    @InjectEntityManager() private readonly manager: EntityManager,
    private readonly pages: Pages,
  ) {}

  /** Finds the account of a token by the token's hash. @returns null if the token is unknown, revoked or expired */
  findAuthenticated(hash: Buffer): Promise<AuthenticatedPartner | null> {
    return this.lookups.add(hash);
  }

  /** @throws TokenNotFoundError */
  async getForUpdate(manager: EntityManager, id: string): Promise<PartnerToken> {
    const token = await manager.findOne(PartnerToken, { where: { id }, lock: { mode: 'pessimistic_write' } });
    if (!token) throw new TokenNotFoundError();
    return token;
  }

  async get(manager: EntityManager, id: string): Promise<PartnerToken> {
    return manager.findOneByOrFail(PartnerToken, { id });
  }

  async insert(manager: EntityManager, token: Omit<PartnerToken, 'seq'>): Promise<void> {
    await manager.insert(PartnerToken, token);
  }

  /**
   * Records the successor of a rotated token, and lets the token expire after the overlap, unless it expires earlier anyway. This
   * statement and the statement that finds tokens both use the clock of the database, so the clocks of the replicas have no effect.
   */
  async replace(manager: EntityManager, id: string, successorId: string, overlapSeconds: number): Promise<void> {
    await manager.query(
      `update partner_token
          set replaced_by = $2, expires_at = least(expires_at, now() + make_interval(secs => $3))
        where id = $1`,
      [id, successorId, overlapSeconds],
    );
  }

  async revoke(manager: EntityManager, id: string): Promise<void> {
    await manager.query(`update partner_token set revoked_at = now() where id = $1`, [id]);
  }

  findPage(partnerId: string, query: PageQuery): Promise<Page<PartnerToken>> {
    return this.pages.find(PartnerToken, ['tokens', partnerId], { partnerId }, query);
  }

  /**
   * Saves when tokens were last used. A newer time that another replica has written is never overwritten.
   *
   * @param uses the time of the last use, by the id of the token
   */
  async noteUses(uses: ReadonlyMap<string, Date>): Promise<void> {
    await this.manager.query(
      // Locks the rows in the order of their ids, so that two replicas cannot deadlock.
      `with locked as materialized (select id from partner_token where id = any ($1::text[]) order by id for no key update)
       update partner_token t
          set last_used_at = greatest(t.last_used_at, u.at)
         from unnest($1::text[], $2::timestamptz[]) as u (id, at)
         join locked on locked.id = u.id
        where t.id = u.id`,
      [[...uses.keys()], [...uses.values()]],
    );
  }

  private async lookUp(hashes: readonly Buffer[]): Promise<(AuthenticatedPartner | null)[]> {
    const { dataSource } = this.manager;
    const options = { timeoutMs: LOOKUP_TIMEOUT_MS };
    const rows = await queryPrepared<FoundAccount>(dataSource, 'authenticate', AUTHENTICATE_SQL, [hashes], options);
    const accounts = new Map(rows.map(({ hash, ...account }) => [hash.toString('base64'), account]));
    return hashes.map((hash) => accounts.get(hash.toString('base64')) ?? null);
  }
}
