import { Body, Controller, Get, Post, Put, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  type Caller,
  CurrentCaller,
  PostbackConfigurationView,
  PostbackEndpointStatus,
  RotatedSigningSecret,
  SavePostbackConfiguration,
  APPS_FOR_PARTNER,
  PostbackNotConfiguredError,
} from '@tandem/internal-api';
import { Endpoint } from '@tandem/http-api';
import type { FastifyReply } from 'fastify';
import { EndpointService } from './endpoint.service';

/** Internal API for partner-gateway, which has authenticated and authorized its caller. The edge never exposes this API. */
@ApiTags('postback configuration')
@Controller('internal/postback-configurations/:partnerId/:environment')
export class EndpointController {
  constructor(private readonly service: EndpointService) {}

  @Get()
  @Endpoint({
    access: APPS_FOR_PARTNER,
    summary: 'Read a partner’s configuration without its key',
    answer: { type: PostbackConfigurationView },
    errors: [PostbackNotConfiguredError],
  })
  getConfiguration(@CurrentCaller() { partnerId, environment }: Caller): Promise<PostbackConfigurationView> {
    return this.service.getConfiguration(partnerId, environment);
  }

  @Put()
  @Endpoint({
    access: APPS_FOR_PARTNER,
    summary: 'Create (201, with the signing secret) or change (200) a configuration',
    answer: [{ type: PostbackConfigurationView }, { status: 201, type: PostbackConfigurationView }],
  })
  async saveConfiguration(
    @CurrentCaller() { partnerId, environment }: Caller,
    @Body() body: SavePostbackConfiguration,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PostbackConfigurationView> {
    const { created, view } = await this.service.saveConfiguration(partnerId, environment, body);
    reply.code(created ? 201 : 200);
    return view;
  }

  @Get('status')
  @Endpoint({
    access: APPS_FOR_PARTNER,
    summary: 'Read the configuration for a manager, with the pause that failures caused',
    answer: { type: PostbackEndpointStatus },
    errors: [PostbackNotConfiguredError],
  })
  getStatus(@CurrentCaller() { partnerId, environment }: Caller): Promise<PostbackEndpointStatus> {
    return this.service.getStatus(partnerId, environment);
  }

  @Post('enable')
  @Endpoint({
    access: APPS_FOR_PARTNER,
    summary: 'Enable a configuration and end its pause; may be repeated',
    answer: { status: 200, type: PostbackEndpointStatus },
    errors: [PostbackNotConfiguredError],
  })
  enableEndpoint(@CurrentCaller() { partnerId, environment }: Caller): Promise<PostbackEndpointStatus> {
    return this.service.enable(partnerId, environment);
  }

  @Post('signing-secret')
  @Endpoint({
    access: APPS_FOR_PARTNER,
    summary: 'Replace the signing secret; for 24 h by default, the previous secret signs too',
    answer: { status: 200, type: RotatedSigningSecret },
    errors: [PostbackNotConfiguredError],
  })
  rotateSigningSecret(@CurrentCaller() { partnerId, environment }: Caller): Promise<RotatedSigningSecret> {
    return this.service.rotateSigningSecret(partnerId, environment);
  }
}
