import type { ForwardedAttempt } from './forward.ts';

const CLOCKS = 'The clocks of your endpoint and of this machine differ by more than 5 minutes.';
const HEADERS = 'Something in front of your endpoint, such as a proxy, removes or changes the webhook headers.';

/** What to do about each reason that the endpoints of the SDKs give for a 401. */
const CAUSES = new Map([
  [
    'authorization_mismatch',
    "Your endpoint expects another Authorization header: --authorization 'Bearer <key>', or POSTBACK_AUTHORIZATION.",
  ],
  ['signature_mismatch', 'Your endpoint uses another signing secret: --secret, or POSTBACK_SIGNING_SECRETS.'],
  ['timestamp_too_old', CLOCKS],
  ['timestamp_too_new', CLOCKS],
  ['missing_header', HEADERS],
  ['malformed_header', HEADERS],
  ['malformed_body', 'The SDK of your endpoint does not know this kind of postback: update the SDK.'],
]);

/**
 * Returns what to do after the last attempt to forward a postback that the endpoint refused with 401 or 403; undefined for other attempts.
 * The advice names the time from which the command must start again to send this postback.
 */
export function adviceOn({ request, last, status, reason = '' }: ForwardedAttempt): string | undefined {
  if (!last || (status !== 401 && status !== 403)) return undefined;
  const cause =
    status === 403
      ? 'Your endpoint does not allow the request: a check in front of your handler may refuse it, such as one against CSRF.'
      : (CAUSES.get(reason) ?? 'Your endpoint refused the request: the partner guide says what it must verify.');
  const createdAt = Date.parse(request.createdAt);
  // A text that is no time must not become part of a command that people copy.
  if (Number.isNaN(createdAt)) return cause;
  return `${cause} Restart with --since ${new Date(createdAt).toISOString()} to send this postback and later ones again.`;
}
