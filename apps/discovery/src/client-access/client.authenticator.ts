import { Injectable } from '@nestjs/common';
import { AccessTokens, type VerifiedToken } from '@tandem/auth';
import { addLogFields, ignoreBody, type RequestAuthenticator } from '@tandem/http-api';
import type { FastifyRequest } from 'fastify';

/** Lets users in by their access token, of whichever family; a body is ignored. */
@Injectable()
export class ClientAuthenticator implements RequestAuthenticator {
  constructor(private readonly tokens: AccessTokens) {}

  authenticate(request: FastifyRequest): void | Promise<void> {
    ignoreBody(request);
    const { authorization } = request.headers;
    const known = this.tokens.known(authorization);
    return known ? tell(known) : this.tokens.authenticate(authorization).then(tell);
  }
}

const tell = ({ subject }: VerifiedToken): void => addLogFields({ krn: subject });
