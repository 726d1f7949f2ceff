import { Controller, Delete, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { UnauthorizedError } from '@tandem/auth';
import { type Access, Endpoint } from '@tandem/http-api';
import type { FastifyRequest } from 'fastify';
import { PermissionDeniedError } from '../admin/admin.errors';
import type { Act } from '../audit/act';
import { CurrentPartner, CurrentPartnerAct, partners } from '../token/partner.access';
import type { AuthenticatedPartner } from '../token/token.repository';
import { PortalCodeAuthenticator } from './portal-code.authenticator';
import { PortalSession } from './portal-link.dto';
import { PortalLinkService } from './portal-link.service';

const PORTAL_CODE: Access = {
  by: PortalCodeAuthenticator,
  token: 'portalCode',
  errors: [UnauthorizedError, new PermissionDeniedError('The partner account is not active')],
};

@ApiTags('Portal')
@Controller('api/v2/partner/portal-session')
export class PortalSessionController {
  constructor(private readonly links: PortalLinkService) {}

  @Post()
  @Endpoint({
    access: PORTAL_CODE,
    summary: 'Exchange the code of a portal link for a session',
    description:
      'A code works once. A code whose link was opened, was ended or has expired is refused like an unknown code.',
    answer: { status: 201, description: 'The session', type: PortalSession },
    noStore: true,
  })
  openPortalSession(@Req() { portalCode, id }: FastifyRequest): Promise<PortalSession> {
    return this.links.openSession(portalCode as string, id);
  }

  @Delete()
  @Endpoint({
    access: partners(),
    summary: 'End the portal session',
    description: 'Requires the token of a portal session. The session ends immediately.',
    answer: { status: 204, description: 'The session has ended' },
    errors: [new PermissionDeniedError('The token does not belong to a portal session')],
  })
  closePortalSession(@CurrentPartner() session: AuthenticatedPartner, @CurrentPartnerAct() act: Act): Promise<void> {
    return this.links.closeSession(session, act);
  }
}
