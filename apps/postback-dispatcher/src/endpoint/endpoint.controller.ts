import { Body, Controller, Get, HttpCode, Post, Put, Res, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  type Caller,
  CurrentCaller,
  type PostbackConfigurationView,
  type PostbackEndpointStatus,
  type RotatedSigningSecret,
  SavePostbackConfiguration,
  ServiceTokenGuard,
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

  @ApiOperation({ summary: "Reads a partner's configuration; the key never comes back" })
  @Get()
  read(@CurrentCaller() { partnerId, environment }: Caller): Promise<PostbackConfigurationView> {
    return this.service.getConfiguration(partnerId, environment);
  }

  @ApiOperation({ summary: 'Creates (201, with the signing secret) or changes (200) a configuration' })
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

  @ApiOperation({ summary: 'The configuration for a manager, with the pause that failures brought about' })
  @Get('status')
  readStatus(@CurrentCaller() { partnerId, environment }: Caller): Promise<PostbackEndpointStatus> {
    return this.service.getStatus(partnerId, environment);
  }

  @ApiOperation({ summary: 'Enables a disabled configuration, and ends its pause; may be repeated' })
  @Post('enable')
  @HttpCode(200)
  enable(@CurrentCaller() { partnerId, environment }: Caller): Promise<PostbackEndpointStatus> {
    return this.service.enable(partnerId, environment);
  }

  @ApiOperation({ summary: 'Replaces the signing secret; the one before signs beside it for 24 h' })
  @Post('signing-secret')
  @HttpCode(200)
  rotate(@CurrentCaller() { partnerId, environment }: Caller): Promise<RotatedSigningSecret> {
    return this.service.rotateSigningSecret(partnerId, environment);
  }
}
