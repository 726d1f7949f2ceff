import { type Settings, settingsOf, type TransportOptions } from '../../../sdks/typescript/options.ts';
import type { Pace } from '../../../sdks/typescript/pace.ts';
import { type Api, Transport } from '../../../sdks/typescript/transport.ts';
import { ConflictError, errorOf } from './errors.ts';
import { VERSION } from './version.ts';

export interface TandemOptions extends TransportOptions {
  /** The partner's token, `ptk_live_…` or `ptk_test_…`. Keep the token on your servers. */
  readonly token: string;
}

const IN_PROGRESS = ['creation_in_progress', 'idempotency_in_progress'];

const PARTNER_API: Api = {
  basePath: '/api/v2/partner',
  errorOf,
  passesAfterSeconds: (error) => (error instanceof ConflictError && IN_PROGRESS.includes(error.code) ? 1 : undefined),
};

/** Checks the options, and returns the transport of a client. @throws TypeError for an invalid option; the message never contains the token */
export function transportOf({ token, ...rest }: TandemOptions, pace: Pace): Transport {
  if (!token) throw new TypeError('token is empty: is its variable set?');
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token))
    throw new TypeError('token must be a partner token, such as ptk_live_…, without spaces');
  const settings: Settings = settingsOf(rest);
  const headers = { authorization: `Bearer ${token}`, 'user-agent': `tandem-partner-js/${VERSION}` };
  return new Transport(PARTNER_API, { ...settings, headers }, pace);
}
