import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { generatePartnerToken, hashPartnerToken } from '@tandem/auth';
import { type Page, timeOf, ValidationFailedError, viewsOf } from '@tandem/http-api';
import { EntityManager } from 'typeorm';
import type { Act } from '../audit/act';
import { type AuditedChange, AuditService } from '../audit/audit.service';
import { PartnerGatewayConfig } from '../config';
import type { PageQuery } from '../paging/page.dto';
import { PartnerRepository } from '../partner/partner.repository';
import { type IssuedTokenDto, type IssueTokenBody, TokenDto } from './token.dto';
import type { PartnerToken } from './token.entity';
import { PortalSessionTokenError, TokenAlreadyRotatedError, TokenNotActiveError } from './token.errors';
import { TokenRepository } from './token.repository';
import { problemsOfToken, scopesOf } from './token.rules';

@Injectable()
export class TokenService {
  constructor(
    @InjectEntityManager() private readonly manager: EntityManager,
    private readonly tokens: TokenRepository,
    private readonly partners: PartnerRepository,
    private readonly audit: AuditService,
    private readonly config: PartnerGatewayConfig,
  ) {}

  /**
   * Creates a token. If the request has no `scopes`, the token gets all scopes that the partner's integration kind has in the environment.
   *
   * @throws PartnerNotFoundError; ValidationFailedError for a scope that such a token cannot have, and for an expiry in the past
   */
  async issueToken(partnerId: string, body: IssueTokenBody, act: Act): Promise<IssuedTokenDto> {
    return this.manager.transaction(async (manager) => {
      const { kind } = await this.partners.getForUpdate(manager, partnerId);
      const expiresAt = body.expiresAt ? timeOf(body.expiresAt) : null;
      const { name = null, environment, scopes = scopesOf(kind, environment) } = body;
      const wanted = { environment, scopes, expiresAt };
      const problems = problemsOfToken(kind, wanted, new Date());
      if (problems.length > 0) throw new ValidationFailedError(problems);
      const issued = await this.insertToken(manager, { partnerId, name, ...wanted, portalLinkId: null });
      await this.audit.record(manager, act, { action: 'token.issued', id: issued.id, after: TokenDto.of(issued) });
      return issued;
    });
  }

  /**
   * Creates a successor of the token with the same name, scopes and lifetime. The old token stays valid until the overlap ends or the token
   * expires, whichever is earlier.
   */
  rotateToken(id: string, overlapSeconds: number | undefined, act: Act): Promise<IssuedTokenDto> {
    return this.succeed(id, act, 'token.rotated', (manager, successorId) => {
      const overlap = overlapSeconds ?? this.config.TOKEN_ROTATION_OVERLAP_SECONDS;
      return this.tokens.replace(manager, id, successorId, overlap);
    });
  }

  /** Creates a successor of the token with the same name, scopes and lifetime, and revokes the old token in the same transaction. */
  replaceLeakedToken(id: string, act: Act): Promise<IssuedTokenDto> {
    return this.succeed(id, act, 'token.leaked', async (manager, successorId) => {
      await this.tokens.replace(manager, id, successorId, 0);
      await this.tokens.revoke(manager, id);
    });
  }

  private succeed(
    id: string,
    act: Act,
    action: AuditedChange['action'],
    endOld: (manager: EntityManager, successorId: string) => Promise<void>,
  ): Promise<IssuedTokenDto> {
    return this.manager.transaction(async (manager) => {
      const old = await this.tokens.getForUpdate(manager, id);
      const now = Date.now();
      if (old.portalLinkId !== null) throw new PortalSessionTokenError();
      if (old.replacedBy !== null) throw new TokenAlreadyRotatedError();
      if (old.revokedAt !== null || (old.expiresAt !== null && old.expiresAt.getTime() <= now)) {
        throw new TokenNotActiveError();
      }
      const life = old.expiresAt && old.expiresAt.getTime() - old.createdAt.getTime();
      const expiresAt = life === null ? null : new Date(now + life);
      const issued = await this.insertToken(manager, { ...old, expiresAt });
      await endOld(manager, issued.id);
      await this.recordChange(manager, act, action, old);
      await this.audit.record(manager, act, { action: 'token.issued', id: issued.id, after: TokenDto.of(issued) });
      return issued;
    });
  }

  /** Revokes a token immediately. A repeated call changes nothing. */
  async revokeToken(id: string, act: Act): Promise<void> {
    await this.manager.transaction(async (manager) => {
      const token = await this.tokens.getForUpdate(manager, id);
      if (token.revokedAt !== null) return;
      await this.tokens.revoke(manager, id);
      await this.recordChange(manager, act, 'token.revoked', token);
    });
  }

  async listTokens(partnerId: string, query: PageQuery): Promise<Page<TokenDto>> {
    await this.partners.get(partnerId);
    return viewsOf(await this.tokens.findPage(partnerId, query), TokenDto.of);
  }

  /** Generates a token and stores its hash. @param manager the entity manager of the caller's transaction */
  async insertToken(
    manager: EntityManager,
    wanted: Pick<PartnerToken, 'partnerId' | 'name' | 'environment' | 'scopes' | 'expiresAt' | 'portalLinkId'>,
  ): Promise<IssuedTokenDto> {
    const token = generatePartnerToken(wanted.environment);
    const { partnerId, name, environment, scopes, expiresAt, portalLinkId } = wanted;
    const view = {
      id: `tok_${randomUUID().replaceAll('-', '')}`,
      partnerId,
      name,
      environment,
      scopes,
      last4: token.slice(-4),
      expiresAt,
      revokedAt: null,
      replacedBy: null,
      portalLinkId,
      lastUsedAt: null,
      createdAt: new Date(),
    };
    await this.tokens.insert(manager, { ...view, hash: hashPartnerToken(token) });
    return { ...view, token };
  }

  /** Adds the audit row of a change. The new values are read from the database, because the clock of the database sets the times. */
  private async recordChange(
    manager: EntityManager,
    act: Act,
    action: AuditedChange['action'],
    before: PartnerToken,
  ): Promise<void> {
    const { id } = before;
    const after = TokenDto.of(await this.tokens.get(manager, id));
    await this.audit.record(manager, act, { action, id, before: TokenDto.of(before), after });
  }
}
