import type { OnApplicationShutdown } from '@nestjs/common';
import { type InternalCall, InternalClient } from '@tandem/internal-api';
import { InvalidCursorError } from '@tandem/http-api';
import type { PartnerCall } from './current-call.decorator';

/** JSON text as another app wrote it: passed on unread, because a page can be large. */
export type RelayedJson = string;

/** The path of a route that is about one partner's data in one environment. */
export type PathOf = (partnerId: string, environment: string) => string;

/** Longer than any cursor that an app gives out: not passed on, because a request line has its limits too. */
const LONGEST_CURSOR = 255;

/** Another app of the platform, whose answers partners get as they are. */
export abstract class RelayClient extends InternalClient implements OnApplicationShutdown {
  /**
   * @param expected status of a success
   * @param call on whose behalf
   * @throws InvalidCursorError, and what {@link InternalClient.call} throws
   */
  async relay(
    expected: number,
    method: InternalCall['method'],
    pathOf: PathOf,
    call: PartnerCall,
    more: Pick<InternalCall, 'query' | 'body'> = {},
  ): Promise<RelayedJson> {
    if (String(more.query?.['cursor'] ?? '').length > LONGEST_CURSOR) throw new InvalidCursorError();
    return (await this.call([expected], callOf(method, pathOf, call, more))).text;
  }

  onApplicationShutdown(): Promise<unknown> {
    return this.close();
  }
}

/** The internal call that a partner's call becomes. */
export const callOf = (
  method: InternalCall['method'],
  pathOf: PathOf,
  { partnerId, environment, requestId }: PartnerCall,
  more: Pick<InternalCall, 'query' | 'body'> = {},
): InternalCall => ({ method, path: pathOf(partnerId, environment), requestId, ...more });
