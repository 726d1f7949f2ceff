import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { IDENTITY_SUPPORT_ERRORS, InternalClient } from '@tandem/internal-api';
import { IdpSupportConfig } from '../config';

/**
 * How long the story of a user waits for idp-api: longer than idp-api waits for the vendor (3 s), and shorter than `npm run user -- why` waits
 * for the story (8 s).
 */
const STORY_TIMEOUT_MS = 6_000;
const STORY_CONNECTIONS = 8;

/** Calls the internal HTTP API of idp-api, which owns users. */
@Injectable()
export class IdentityClient extends InternalClient implements OnApplicationShutdown {
  /** The client for the story of a user. Its timeout is at most `STORY_TIMEOUT_MS`. */
  readonly storyClient: InternalClient;

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
    this.storyClient = this.withTimeout(Math.min(STORY_TIMEOUT_MS, config.IDP_API_TIMEOUT_MS), STORY_CONNECTIONS);
  }

  onApplicationShutdown(): Promise<unknown> {
    return Promise.all([this.close(), this.storyClient.close()]);
  }
}
