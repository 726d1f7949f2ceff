import { Body, Controller, Get, Post, Put, Res, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import {
  type Caller,
  CurrentCaller,
  PostbackConfigurationView,
  PostbackEndpointStatus,
  RotatedSigningSecret,
  SavePostbackConfiguration,
  ServiceTokenGuard,
  InternalOperation,
  PostbackNotConfiguredError,
} from '@tandem/internal-api';
import type { FastifyReply } from 'fastify';
import { EndpointService } from './endpoint.service';

/** Internal: partner-gateway has checked who asks and what they may. Never on the edge. */
@ApiTags('postback configuration')
@ApiBearerAuth()
@UseGuards(ServiceTokenGuard)
@Controller('internal/postback-configurations/:partnerId/:environment')
export class EndpointController {
  constructor(private readonly service: EndpointService) {}

  @InternalOperation({
    summary: "Reads a partner's configuration; the key never comes back",
    answers: { 200: PostbackConfigurationView },
    failures: [new PostbackNotConfiguredError()],
  })
  @Get()
  read(@CurrentCaller() { partnerId, environment }: Caller): Promise<PostbackConfigurationView> {
    return this.service.getConfiguration(partnerId, environment);
  }

  @InternalOperation({
    summary: 'Creates (201, with the signing secret) or changes (200) a configuration',
    answers: { 200: PostbackConfigurationView, 201: PostbackConfigurationView },
    takes: 'body',
  })
  @Put()
  async save(
    @CurrentCaller() { partnerId, environment }: Caller,
    @Body() body: SavePostbackConfiguration,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PostbackConfigurationView> {
    const { created, view } = await this.service.saveConfiguration(partnerId, environment, body);
    reply.code(created ? 201 : 200);
    return view;
  }

  @InternalOperation({
    summary: 'The configuration for a manager, with the pause that failures brought about',
    answers: { 200: PostbackEndpointStatus },
    failures: [new PostbackNotConfiguredError()],
  })
  @Get('status')
  readStatus(@CurrentCaller() { partnerId, environment }: Caller): Promise<PostbackEndpointStatus> {
    return this.service.getStatus(partnerId, environment);
  }

  @InternalOperation({
    summary: 'Enables a disabled configuration, and ends its pause; may be repeated',
    answers: { 200: PostbackEndpointStatus },
    failures: [new PostbackNotConfiguredError()],
  })
  @Post('enable')
  enable(@CurrentCaller() { partnerId, environment }: Caller): Promise<PostbackEndpointStatus> {
    return this.service.enable(partnerId, environment);
  }

  @InternalOperation({
    summary: 'Replaces the signing secret; the one before signs beside it for 24 h',
    answers: { 200: RotatedSigningSecret },
    failures: [new PostbackNotConfiguredError()],
  })
  @Post('signing-secret')
  rotate(@CurrentCaller() { partnerId, environment }: Caller): Promise<RotatedSigningSecret> {
    return this.service.rotateSigningSecret(partnerId, environment);
  }
}
