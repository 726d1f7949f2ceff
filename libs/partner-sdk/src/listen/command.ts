import { REAL_PACE, type Pace } from '../../../../sdks/typescript/pace.ts';
import { Tandem } from '../tandem.ts';
import { adviceOn } from './advice.ts';
import { listen, type ListenerEvent } from './listener.ts';
import { printable } from './printable.ts';
import { secretOfListener, signatureHeaders } from './sign.ts';
import { sinceOf, targetOf } from './target.ts';

/** The options of `tandem-partner listen`: the types and help texts from which programs build their argument parsers. */
export const LISTEN_OPTIONS = {
  to: { type: 'string', describe: 'Where to forward to: a port, or a URL such as http://127.0.0.1:3000/tandem' },
  token: { type: 'string', describe: 'A test token with the scope postback:listen (TANDEM_TOKEN)' },
  'base-url': { type: 'string', describe: 'Scheme and host of the platform (TANDEM_BASE_URL)' },
  secret: {
    type: 'string',
    describe:
      'Signs what is forwarded: whsec_…, several separated by a space (POSTBACK_SIGNING_SECRETS); default: the secret that --print-secret prints',
  },
  authorization: {
    type: 'string',
    describe: "The Authorization header, such as 'Bearer my-own-key' (POSTBACK_AUTHORIZATION); default: none",
  },
  since: { type: 'string', describe: 'Where to begin: now (default), an age such as 5m or 2h, or a time' },
  retries: { type: 'string', describe: 'How often a postback that was not accepted is sent again; default: 0' },
  'allow-remote': { type: 'boolean', describe: 'Forward to a machine other than this one' },
  'print-secret': { type: 'boolean', describe: 'Only print the signing secret' },
  json: { type: 'boolean', describe: 'Print each event as a line of JSON' },
} as const;

type Options = typeof LISTEN_OPTIONS;

/** The options that the user gave. */
export type ListenValues = {
  readonly [Name in keyof Options]?: (Options[Name]['type'] extends 'boolean' ? boolean : string) | undefined;
};

/** The parts of the process that the command uses. */
export interface ListenContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
  readonly pace?: Pace;
  readonly fetch?: typeof fetch;
}

/**
 * Runs `listen` until the signal aborts. With `print-secret`, only prints the signing secrets.
 *
 * @throws TypeError for invalid options; TandemError when the platform refuses a call
 */
export async function runListen(values: ListenValues, context: ListenContext): Promise<void> {
  const { env, print, signal, pace = REAL_PACE, fetch: request = (input, init) => fetch(input, init) } = context;
  const token = values.token ?? env['TANDEM_TOKEN'];
  if (!token) throw new TypeError('--token or TANDEM_TOKEN is missing: a test token with the scope postback:listen');
  if (token.startsWith('ptk_live_'))
    throw new TypeError('only test tokens (ptk_test_…) can listen: live sales are posted to a public address');
  const given = (values.secret ?? env['POSTBACK_SIGNING_SECRETS'] ?? '').split(/\s+/).filter(Boolean);
  const secrets = given.length > 0 ? given : [await secretOfListener(token)];
  // Signs an empty text, so that a wrong secret fails now and not at the first postback.
  await signatureHeaders({ id: '', body: '', at: new Date() }, secrets);
  if (values['print-secret']) return print(secrets.join(' '));

  const baseUrl = values['base-url'] ?? env['TANDEM_BASE_URL'];
  if (!baseUrl) throw new TypeError('--base-url or TANDEM_BASE_URL is missing: scheme and host of the platform');
  if (!values.to) throw new TypeError('--to is missing: the port or URL that postbacks are forwarded to');
  const to = targetOf(values.to, { allowRemote: values['allow-remote'] });
  const retries = values.retries ?? '0';
  if (!/^\d{1,3}$/.test(retries)) throw new TypeError('--retries must be a whole number from 0 to 999');
  const since = sinceOf(values.since ?? 'now', pace.now());
  const authorization = values.authorization ?? env['POSTBACK_AUTHORIZATION'];

  const tandem = new Tandem({ token, baseUrl, fetch: request }, pace);
  const secretLine = given.length > 0 ? [] : [`Signing secret: ${secrets.join(' ')}`];
  const begin = [`Forwarding postbacks of test sales from ${baseUrl} to ${to.href}; Ctrl-C ends.`, ...secretLine];
  const readable = (event: ListenerEvent): string[] => linesOf(event, begin, pace.now());
  const json = (event: ListenerEvent): string[] => [JSON.stringify(plain(event, to.href, pace.now()))];
  const options = { tandem, to, secrets, authorization, retries: Number(retries), since, signal, fetch: request };
  try {
    const printed = (event: ListenerEvent) => (values.json ? json : readable)(event).map(printable);
    await listen(options, (event) => printed(event).forEach((line) => print(line)), pace);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Returns an event as lines for people. */
function linesOf(event: ListenerEvent, begin: string[], now: number): string[] {
  if (event.type === 'listening') return begin;
  const time = new Date(now).toISOString().slice(11, 19);
  if (event.type === 'interrupted') return [`${time}  ${event.error.message}; trying again until it works`];
  if (event.type === 'resumed') return [`${time}  listening again; nothing was lost`];
  const { request, attempt, status, error, durationMs, reason } = event;
  const more = [...(attempt > 1 ? [`attempt ${attempt}`] : []), ...(reason === undefined ? [] : [reason])];
  const kind = request.kind.padEnd(7);
  const line = [time, kind, request.oid, status ?? error, `${durationMs} ms`, ...more].join('  ');
  const advice = adviceOn(event);
  return advice === undefined ? [line] : [line, `          ${advice}`];
}

/** Returns the fields of an event for a line of JSON. */
function plain(event: ListenerEvent, to: string, now: number): object {
  const at = new Date(now).toISOString();
  if (event.type === 'listening') return { event: 'listening', at, to };
  if (event.type === 'interrupted')
    return { event: 'interrupted', at, code: event.error.code, error: event.error.message };
  if (event.type === 'resumed') return { event: 'resumed', at };
  const { request, attempt, status = null, error = null, durationMs, accepted, reason = null } = event;
  const { id, kind, oid } = request;
  return { event: 'forwarded', at, id, kind, oid, attempt, accepted, status, reason, error, durationMs };
}
