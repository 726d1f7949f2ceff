import type { OnApplicationShutdown } from '@nestjs/common';
import { type InternalCall, InternalClient } from '@tandem/internal-api';
import { InvalidCursorError } from '@tandem/http-api';
import type { PartnerCall } from './current-call.decorator';

/** JSON text from another app, which is relayed unchanged. It is not parsed, because a page of a list can be large. */
export type RelayedJson = string;

/** Builds the path of another app's endpoint for one partner's data in one environment. */
export type PathOf = (partnerId: string, environment: string) => string;

/**
 * The length of the longest cursor that is relayed. No app issues a longer cursor. A longer cursor is refused here, because the other
 * app limits the length of the request line.
 */
const LONGEST_CURSOR = 255;

/** A client of another app of the platform. `relay` returns the other app's answer unchanged. */
export abstract class RelayClient extends InternalClient implements OnApplicationShutdown {
  /**
   * Relays a request about a partner's data to the other app.
   *
   * @param expected the status of a successful answer
   * @param call the partner, the environment and the id of the request
   * @throws InvalidCursorError, and the errors of {@link InternalClient.call}
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

/** Builds the request for a partner's data, to be sent to the other app. */
export const callOf = (
  method: InternalCall['method'],
  pathOf: PathOf,
  { partnerId, environment, requestId }: PartnerCall,
  more: Pick<InternalCall, 'query' | 'body'> = {},
): InternalCall => ({ method, path: pathOf(partnerId, environment), requestId, ...more });
