import type { OnApplicationShutdown } from '@nestjs/common';
import { type InternalCall, InternalClient } from '@tandem/internal-api';

/** JSON text as another app wrote it: passed on unread, because a page can be large. */
export type RelayedJson = string;

/** Another app of the platform, whose answers partners get as they are. */
export abstract class RelayClient extends InternalClient implements OnApplicationShutdown {
  /** @param expected status of a success @throws what {@link InternalClient.call} throws */
  async relay(expected: number, call: InternalCall): Promise<RelayedJson> {
    return (await this.call([expected], call)).text;
  }

  onApplicationShutdown(): Promise<unknown> {
    return this.close();
  }
}
