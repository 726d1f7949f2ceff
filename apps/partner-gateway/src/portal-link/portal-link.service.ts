import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { UnauthorizedError } from '@tandem/auth';
import { addLogFields, type Page, viewsOf } from '@tandem/http-api';
import { EntityManager } from 'typeorm';
import { PermissionDeniedError } from '../admin/admin.errors';
import type { Act } from '../audit/act';
import { AuditService } from '../audit/audit.service';
import { PartnerGatewayConfig } from '../config';
import type { PageQuery } from '../paging/page.dto';
import { PartnerRepository } from '../partner/partner.repository';
import type { AuthenticatedPartner } from '../token/token.repository';
import { actorOf } from '../token/token.rules';
import { TokenService } from '../token/token.service';
import {
  type CreatedPortalLinkDto,
  type CreatePortalLinkBody,
  PortalLinkDto,
  type PortalSession,
} from './portal-link.dto';
import { PortalLinkRepository } from './portal-link.repository';
import { generatePortalCode, hashPortalCode, scopesOfPortal, SESSION_MS } from './portal-link.rules';

@Injectable()
export class PortalLinkService {
  constructor(
    @InjectEntityManager() private readonly manager: EntityManager,
    private readonly links: PortalLinkRepository,
    private readonly partners: PartnerRepository,
    private readonly tokens: TokenService,
    private readonly audit: AuditService,
    private readonly config: PartnerGatewayConfig,
  ) {}

  /** @throws PartnerNotFoundError */
  createLink(partnerId: string, body: CreatePortalLinkBody, act: Act): Promise<CreatedPortalLinkDto> {
    return this.manager.transaction(async (manager) => {
      await this.partners.getForUpdate(manager, partnerId);
      const { name = null, environment, readOnly, lifetimeSeconds } = body;
      const code = generatePortalCode();
      const createdAt = new Date();
      const link = {
        id: `plk_${randomUUID().replaceAll('-', '')}`,
        partnerId,
        name,
        environment,
        readOnly,
        createdBy: act.actor,
        createdAt,
        expiresAt: new Date(createdAt.getTime() + lifetimeSeconds * 1000),
        usedAt: null,
        sessionEndsAt: null,
        endedAt: null,
      };
      await this.links.insert(manager, { ...link, codeHash: hashPortalCode(code) });
      await this.audit.record(manager, act, {
        action: 'portal_link.created',
        id: link.id,
        after: PortalLinkDto.of(link),
      });
      return { ...link, url: `${this.config.CONSOLE_URL}/portal#${code}` };
    });
  }

  /** Returns a page of links, newest first. @throws PartnerNotFoundError, InvalidCursorError */
  async listLinks(partnerId: string, query: PageQuery): Promise<Page<PortalLinkDto>> {
    await this.partners.get(partnerId);
    return viewsOf(await this.links.findPage(partnerId, query), PortalLinkDto.of);
  }

  /** Ends a link and its session immediately. A repeated call changes nothing. @throws PortalLinkNotFoundError */
  async endLink(id: string, act: Act): Promise<void> {
    await this.manager.transaction(async (manager) => {
      const before = await this.links.getForUpdate(manager, id);
      if (before.endedAt !== null) return;
      await this.links.end(manager, id);
      const after = await this.links.getForUpdate(manager, id);
      const change = { id, before: PortalLinkDto.of(before), after: PortalLinkDto.of(after) };
      await this.audit.record(manager, act, { action: 'portal_link.ended', ...change });
    });
  }

  /**
   * Exchanges the code of a link for a session, once. The link, the session's token and the audit row are committed together. If the answer
   * is lost after the commit, the link is used up, and the manager has to create another link.
   *
   * @throws UnauthorizedError for a code that is unknown, used, ended or expired
   * @throws PermissionDeniedError when the account is not active; the link then stays unused
   */
  openSession(code: string, requestId: string): Promise<PortalSession> {
    return this.manager.transaction(async (manager) => {
      const link = await this.links.redeem(manager, hashPortalCode(code));
      if (!link) throw new UnauthorizedError();
      const { id, partnerId, environment } = link;
      addLogFields({ partnerId });
      const partner = await this.partners.getForUpdate(manager, partnerId);
      if (!partner.active) throw new PermissionDeniedError('The partner account is not active');
      const scopes = scopesOfPortal(partner.kind, link);
      const expiresAt = new Date(Date.now() + SESSION_MS);
      const wanted = { partnerId, name: null, environment, scopes, expiresAt, portalLinkId: id };
      const { id: tokenId, token } = await this.tokens.insertToken(manager, wanted);
      const act = { actor: actorOf({ tokenId, portalLinkId: id }), requestId };
      await this.audit.record(manager, act, {
        action: 'portal_link.used',
        id,
        after: PortalLinkDto.of({ ...link, sessionEndsAt: expiresAt }),
      });
      return { token, expiresAt, environment, scopes };
    });
  }

  /** @throws PermissionDeniedError for a token that does not belong to a portal session */
  async closeSession(session: AuthenticatedPartner, act: Act): Promise<void> {
    if (session.portalLinkId === null) throw new PermissionDeniedError('The token does not belong to a portal session');
    await this.tokens.revokeToken(session.tokenId, act);
  }
}
