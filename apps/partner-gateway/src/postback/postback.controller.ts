import { Body, Controller, Get, Header, Post, Req, Res } from '@nestjs/common';
import { type PostbackConfigurationView, PostbackNotConfiguredError } from '@tandem/internal-api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ValidationFailedError } from '@tandem/service-defaults';
import { PartnerOperation } from '../openapi/operation.decorators';
import { CurrentPartner, PartnerAccess } from '../token/partner-token.decorators';
import type { AuthenticatedPartner } from '../token/token.repository';
import { PostbackClient } from './postback.client';
import { POSTBACK_EXAMPLE, PostbackConfiguration, SavePostbackBody } from './postback.dto';

/** The partner's side of postback configurations. There is no decision to take here, so no service: the client is next. */
@Controller('api/v2/partner/postback')
export class PostbackController {
  constructor(private readonly postbacks: PostbackClient) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @PartnerOperation({
    id: 'getPostback',
    tag: 'Postback',
    summary: 'Read the postback configuration',
    description: 'Test and live have one each. The key never comes back.',
    success: {
      description: 'The configuration',
      type: PostbackConfiguration,
      example: POSTBACK_EXAMPLE,
      headers: ['Cache-Control'],
    },
    failures: [new PostbackNotConfiguredError()],
  })
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
  @PartnerOperation({
    id: 'savePostback',
    tag: 'Postback',
    summary: 'Create or change the postback configuration',
    description:
      'Each sale is sent to `url` by POST, with the key in `Authorization` and a Standard Webhooks signature beside it. The answer to the creation has the `signingSecret`, this once. Saving enables a disabled configuration again.',
    body: {
      type: SavePostbackBody,
      examples: {
        bearer: { url: 'https://partner.example.com/sales', authMethod: 'Bearer', key: 'a-key-of-your-own' },
        basic: { url: 'https://partner.example.com/sales', authMethod: 'Basic', key: 'user:password' },
        keepTheKey: { url: 'https://partner.example.com/new-path', authMethod: 'Bearer' },
      },
    },
    success: [
      {
        description: 'The configuration was changed',
        type: PostbackConfiguration,
        example: POSTBACK_EXAMPLE,
        headers: ['Cache-Control'],
      },
      {
        status: 201,
        description: 'The configuration was created: keep the `signingSecret`',
        type: PostbackConfiguration,
        example: { ...POSTBACK_EXAMPLE, signingSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
        headers: ['Cache-Control'],
      },
    ],
    failures: [new ValidationFailedError([{ field: 'url', message: 'url must be an https URL' }])],
  })
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
