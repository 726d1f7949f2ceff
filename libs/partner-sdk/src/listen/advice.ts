import { INTERRUPTED, type ForwardedAttempt } from './forward.ts';

const CLOCKS = 'The clocks of your endpoint and of this machine differ by more than 5 minutes.';
const HEADERS = 'Something in front of your endpoint, such as a proxy, removes or changes the webhook headers.';

/** What to do about each reason that the endpoints of the SDKs give for a 401. */
const CAUSES = new Map([
  [
    'authorization_mismatch',
    "Your endpoint expects another Authorization header: --authorization 'Bearer <key>', or POSTBACK_AUTHORIZATION.",
  ],
  [
    'signature_mismatch',
    'Your endpoint uses another signing secret. Start it with the secret of this command (--print-secret), or pass the secret of your endpoint to this command (--secret, or POSTBACK_SIGNING_SECRETS).',
  ],
  ['timestamp_too_old', CLOCKS],
  ['timestamp_too_new', CLOCKS],
  ['missing_header', HEADERS],
  ['malformed_header', HEADERS],
  ['malformed_body', 'The SDK of your endpoint does not know this kind of postback: update the SDK.'],
]);

/**
 * Returns what the user can do when the last attempt to forward a postback has failed; undefined for an attempt that was accepted or
 * interrupted, or is repeated. The advice contains the `--since` with which the restarted command sends this postback again.
 */
export function adviceOn({ request, accepted, last, ...outcome }: ForwardedAttempt): string | undefined {
  // The attempt was interrupted because the user ended the command. The attempt's own line says what may have happened.
  if (!last || accepted || outcome.error === INTERRUPTED) return undefined;
  const cause = causeOf(outcome);
  const createdAt = Date.parse(request.createdAt);
  // The platform's text would become part of a command that people copy, so a text that is not a time is left out.
  if (Number.isNaN(createdAt)) return cause;
  return `${cause} Restart this command with --since ${new Date(createdAt).toISOString()} to send this postback and later ones again.`;
}

function causeOf({ status, error, reason = '' }: Pick<ForwardedAttempt, 'status' | 'error' | 'reason'>): string {
  if (status === undefined) {
    return error === 'ECONNREFUSED'
      ? 'Your endpoint does not run, or listens on another port: start it, and check --to.'
      : 'Your endpoint did not answer.';
  }
  if (status === 401)
    return CAUSES.get(reason) ?? 'Your endpoint refused the request: the partner guide says what it must verify.';
  if (status === 403)
    return 'Your endpoint does not allow the request: a check in front of your handler may refuse it, such as one against CSRF.';
  if (status === 404) return 'Your endpoint has nothing at this path: check the path of --to.';
  return 'Your endpoint must answer with a status from 200 to 299.';
}
