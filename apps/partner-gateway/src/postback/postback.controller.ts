import { Body, Controller, Get, Header, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { PostbackConfigurationView } from '@tandem/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentPartner, PartnerAccess } from '../token/partner-token.decorators';
import type { AuthenticatedPartner } from '../token/token.repository';
import { PostbackClient } from './postback.client';
import { SavePostbackBody } from './postback.dto';

/** The partner's side of postback configurations. There is no decision to take here, so no service: the client is next. */
@ApiTags('partner')
@Controller('api/v2/partner/postback')
export class PostbackController {
  constructor(private readonly postbacks: PostbackClient) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @PartnerAccess({ kind: 'promotion', scope: 'postback:read' })
  get(
    @CurrentPartner() { partnerId, environment }: AuthenticatedPartner,
    @Req() { id: requestId }: FastifyRequest,
  ): Promise<PostbackConfigurationView> {
    return this.postbacks.getConfiguration({ partnerId, environment, requestId });
  }

  /** 201 when it was created, 200 when it was changed. */
  @Post()
  @Header('Cache-Control', 'no-store')
  @PartnerAccess({ kind: 'promotion', scope: 'postback:write' })
  async save(
    @CurrentPartner() { partnerId, environment }: AuthenticatedPartner,
    @Req() { id: requestId }: FastifyRequest,
    @Body() { url, authMethod, key }: SavePostbackBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PostbackConfigurationView> {
    const caller = { partnerId, environment, requestId };
    const { created, configuration } = await this.postbacks.saveConfiguration(caller, { url, authMethod, key });
    reply.status(created ? 201 : 200);
    return configuration;
  }
}
