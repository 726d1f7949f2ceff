import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { IDENTITY_SUPPORT_ERRORS, InternalClient } from '@tandem/internal-api';
import { IdpSupportConfig } from '../config';

/** Calls the internal HTTP API of idp-api, which owns users. */
@Injectable()
export class IdentityClient extends InternalClient implements OnApplicationShutdown {
  constructor(config: IdpSupportConfig) {
    super({
      from: 'idp-support',
      to: 'idp-api',
      url: config.IDP_API_URL,
      credentials: config,
      timeoutMs: config.IDP_API_TIMEOUT_MS,
      connections: 64,
      errors: IDENTITY_SUPPORT_ERRORS,
      unavailable: 'Users cannot be reached now; try again.',
    });
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }
}
