import type { OnApplicationShutdown } from '@nestjs/common';
import { type InternalCall, InternalClient } from '@tandem/internal-api';
import { InvalidCursorError } from '@tandem/http-api';
import type { PartnerCall } from './current-call.decorator';

/** JSON text from another app: relayed without parsing, because a page can be large. */
export type RelayedJson = string;

/** The path of a route for one partner's data in one environment. */
export type PathOf = (partnerId: string, environment: string) => string;

/** Longer than any cursor that an app issues: a longer one is not relayed, because request lines are limited too. */
const LONGEST_CURSOR = 255;

/** Client of another app of the platform, whose answers partners receive unchanged. */
export abstract class RelayClient extends InternalClient implements OnApplicationShutdown {
  /**
   * @param expected status of a success
   * @param call the partner's call
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

/** The internal call for a partner's call. */
export const callOf = (
  method: InternalCall['method'],
  pathOf: PathOf,
  { partnerId, environment, requestId }: PartnerCall,
  more: Pick<InternalCall, 'query' | 'body'> = {},
): InternalCall => ({ method, path: pathOf(partnerId, environment), requestId, ...more });
