import type { OnApplicationShutdown } from '@nestjs/common';
import { type InternalCall, InternalClient, InvalidCursorError } from '@tandem/internal-api';

/** JSON text as another app wrote it: passed on unread, because a page can be large. */
export type RelayedJson = string;

/** Longer than any cursor that an app gives out: not passed on, because a request line has its limits too. */
const LONGEST_CURSOR = 255;

/** Another app of the platform, whose answers partners get as they are. */
export abstract class RelayClient extends InternalClient implements OnApplicationShutdown {
  /** @param expected status of a success @throws InvalidCursorError, and what {@link InternalClient.call} throws */
  async relay(expected: number, call: InternalCall): Promise<RelayedJson> {
    if ((call.query?.['cursor']?.length ?? 0) > LONGEST_CURSOR) throw new InvalidCursorError();
    return (await this.call([expected], call)).text;
  }

  onApplicationShutdown(): Promise<unknown> {
    return this.close();
  }
}
