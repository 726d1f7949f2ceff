import { Injectable } from '@nestjs/common';
import { AccessTokens } from '@tandem/auth';
import { addLogFields, ignoreBody, type RequestAuthenticator } from '@tandem/service-defaults';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Lets users in by their access token, of whichever family; a body is ignored. */
@Injectable()
export class ClientAuthenticator implements RequestAuthenticator {
  constructor(private readonly tokens: AccessTokens) {}

  async authenticate(request: FastifyRequest, _reply: FastifyReply): Promise<void> {
    const { subject } = await this.tokens.authenticate(request.headers.authorization);
    addLogFields({ krn: subject });
    ignoreBody(request);
  }
}
