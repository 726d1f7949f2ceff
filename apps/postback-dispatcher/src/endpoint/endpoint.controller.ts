import { Body, Controller, Get, HttpCode, Param, Post, Put, Res, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Environment } from '@tandem/contracts';
import { type PostbackConfigurationView, PostbackNotConfiguredError, ServiceTokenGuard } from '@tandem/internal-api';
import type { FastifyReply } from 'fastify';
import { isEnvironment, SaveEndpointDto } from './endpoint.dto';
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
  read(
    @Param('partnerId') partnerId: string,
    @Param('environment') environment: string,
  ): Promise<PostbackConfigurationView> {
    return this.service.getConfiguration(partnerId, known(environment));
  }

  @ApiOperation({ summary: 'Creates (201, with the signing secret) or changes (200) a configuration' })
  @Put()
  async save(
    @Param('partnerId') partnerId: string,
    @Param('environment') environment: string,
    @Body() body: SaveEndpointDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PostbackConfigurationView> {
    const { created, view } = await this.service.saveConfiguration(partnerId, known(environment), body);
    reply.code(created ? 201 : 200);
    return view;
  }

  @ApiOperation({ summary: 'Replaces the signing secret; the one before signs beside it for 24 h' })
  @Post('signing-secret')
  @HttpCode(200)
  rotate(
    @Param('partnerId') partnerId: string,
    @Param('environment') environment: string,
  ): Promise<{ signingSecret: string }> {
    return this.service.rotateSigningSecret(partnerId, known(environment));
  }
}

function known(environment: string): Environment {
  if (!isEnvironment(environment)) throw new PostbackNotConfiguredError();
  return environment;
}
