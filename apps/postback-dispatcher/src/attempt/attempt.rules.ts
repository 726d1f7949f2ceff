import { signWebhook, webhookTimestampHeader } from '@tandem/auth';
import type { PostbackAuthMethod, PostbackRequestHeaders } from '@tandem/internal-api';
import type { KeyObject } from 'node:crypto';
import type { AttemptOutcome, AttemptStage, Postback } from './attempt-types';

/**
 * The `event` in the body of a closure notice, and the value of its header `X-Event`. A closure notice reports to a partner that a sale was
 * closed, that is, refunded or charged back.
 */
export const CLOSURE_EVENT = 'sale.closed';

/** How many bytes of an answer's body are kept. */
export const KEPT_RESPONSE_BYTES = 2048;

const USER_AGENT = 'Tandem-Postback/1.0';

/** The URL and the credentials of an endpoint. The credentials are in clear text: never log or store them. */
export interface EndpointTarget {
  readonly url: string;
  readonly authMethod: PostbackAuthMethod;
  readonly key: string;
  /** The current signing secret, then replaced ones, each with the time until which it signs (Unix ms; null: no end). */
  readonly signingSecrets: readonly { readonly secret: string; readonly until: number | null }[];
}

/** A signing key, with the time until which it signs (Unix ms; null: no end). */
export interface SigningKey {
  readonly key: KeyObject;
  readonly until: number | null;
}

/** Returns the `Authorization` header. A Basic key is `user:password` in UTF-8, encoded as in RFC 7617. */
export function authorizationOf({ authMethod, key }: Pick<EndpointTarget, 'authMethod' | 'key'>): string {
  return authMethod === 'Bearer' ? `Bearer ${key}` : `Basic ${Buffer.from(key, 'utf8').toString('base64')}`;
}

/** Returns the headers that are the same in all attempts of a delivery, without `Authorization`. */
export const headersOf = ({ id, environment, kind }: Omit<Postback, 'body'>): PostbackRequestHeaders => ({
  'content-type': 'application/json',
  'user-agent': USER_AGENT,
  'webhook-id': id,
  ...(environment === 'test' && { 'x-environment': 'test' }),
  ...(kind === 'closure' && { 'x-event': CLOSURE_EVENT }),
});

/**
 * Returns the headers of one attempt. `webhook-id` is the same in all attempts of a delivery. The timestamp and the signature belong to
 * this attempt.
 */
export function attemptHeaders(
  { authorization, keys }: { readonly authorization: string; readonly keys: readonly SigningKey[] },
  postback: Postback,
  now: Date,
): Record<string, string> {
  const valid = keys.filter(({ until }) => until === null || until > now.getTime());
  return {
    authorization,
    ...headersOf(postback),
    'webhook-timestamp': webhookTimestampHeader(now),
    'webhook-signature': signWebhook({
      secrets: valid.map(({ key }) => key),
      id: postback.id,
      timestamp: now,
      body: postback.body,
    }),
  };
}

/**
 * Control characters, except tabs and line breaks. They are replaced for two reasons. Postgres cannot store NUL in a text column. And JSON
 * writes each control character as six bytes, so a page of the delivery log could be many times as large as the stored answers.
 */
// eslint-disable-next-line no-control-regex -- the pattern must match control characters
const CONTROL_CHARACTERS = /[\0-\x08\x0b\x0c\x0e-\x1f]/g;

/**
 * Returns the kept part of an answer's body as text that Postgres can store, at most KEPT_RESPONSE_BYTES in UTF-8. Redacts the partner's
 * key, because an endpoint may echo the request.
 */
export function keptResponse(chunks: readonly Buffer[], target: Pick<EndpointTarget, 'key' | 'authMethod'>): string {
  const text = firstOf(Buffer.concat(chunks)).replaceAll(CONTROL_CHARACTERS, '\ufffd');
  const secrets = [authorizationOf(target).split(' ')[1] as string, target.key];
  // The text is cut again, because it can now be longer than the limit: `[redacted]` is longer than a short key, which may occur many
  // times, and each byte that is not valid UTF-8 becomes a character of three bytes.
  return firstOf(Buffer.from(redact(text, secrets.flatMap(formsOf))));
}

/**
 * Returns a stored answer as the delivery log shows it: at most KEPT_RESPONSE_BYTES in UTF-8, without control characters. Answers that
 * earlier releases stored can be longer, and can have control characters.
 */
export const shownResponse = (stored: string): string =>
  firstOf(Buffer.from(stored.replaceAll(CONTROL_CHARACTERS, '\ufffd')));

/** Returns the first KEPT_RESPONSE_BYTES as text. Streaming mode drops a character that is cut off at the end. */
const firstOf = (bytes: Buffer): string =>
  new TextDecoder().decode(bytes.subarray(0, KEPT_RESPONSE_BYTES), { stream: true });

/** Returns the forms in which an answer can contain a text: unchanged, as JSON, and as JSON with escaped slashes, as PHP writes it. */
function formsOf(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  return [text, json, json.replaceAll('/', '\\/')];
}

const REDACTED = '[redacted]';
/**
 * The beginning of a secret at the end of a text is not redacted if it has at most this many characters and is at most half of the secret.
 * Such a short beginning reveals little, and may match by chance.
 */
const LONGEST_KEPT = 7;

/**
 * Redacts secrets. At the end of the text, where the answer may be cut off, also redacts a beginning of a secret, unless LONGEST_KEPT
 * allows this beginning. One pass searches for all secrets: in a second pass, a short secret could match inside the text `[redacted]`.
 */
function redact(text: string, secrets: readonly string[]): string {
  const longestFirst = [...secrets].sort((one, other) => other.length - one.length);
  const between = text.split(new RegExp(longestFirst.map(escapedForRegExp).join('|')));
  const end = between.pop() as string;
  return [...between, withoutBeginning(end, longestFirst)].join(REDACTED);
}

const escapedForRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);

/** If a text ends with the beginning of a secret, replaces this beginning. */
function withoutBeginning(text: string, secrets: readonly string[]): string {
  for (const secret of secrets) {
    const shortest = Math.min(LONGEST_KEPT, Math.floor(secret.length / 2)) + 1;
    for (let length = Math.min(secret.length - 1, text.length); length >= shortest; length -= 1) {
      if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + REDACTED;
    }
  }
  return text;
}

const TLS_ERROR =
  /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|CRL_|ERROR_IN_|INVALID_CA|PATH_LENGTH|EPROTO|HOSTNAME_MISMATCH)/;
const DNS_ERROR = /^(ENAMENOTRESOLVED|ENOTFOUND|EAI_)/;
const PROTOCOL_ERROR = /^(HPE_|HTTPParserError|UND_ERR_HEADERS_OVERFLOW|UND_ERR_NOT_SUPPORTED|UND_ERR_INVALID)/;

/**
 * Returns the stage at which the attempt failed. The stage follows from the error and from the phase of the request, because the same error
 * can happen before and after the request is sent. For example, a load balancer may reset a TLS handshake, and a TLS alert may end a
 * connection that was in use.
 */
export function stageOf(error: Error, phase: 'connecting' | 'waiting' | 'reading'): AttemptStage {
  const code = codeOf(error);
  if (phase === 'connecting') {
    if (code === 'ESSRFREFUSED') return 'ssrf_refused';
    if (DNS_ERROR.test(code)) return 'dns';
    return TLS_ERROR.test(code) ? 'tls' : 'connect';
  }
  if (phase === 'reading') return 'body';
  return PROTOCOL_ERROR.test(code) || code === UNASKED_CONTINUE ? 'protocol' : 'reset';
}

/** Maximum length of a stored error, in characters. */
const MAX_ERROR_LENGTH = 200;

/**
 * Returns the stage and the detail of a failed attempt, as the delivery log shows them; null for a success. The text begins with one of
 * UNSENT_ERRORS if, and only if, the attempt sent no request. Closure notices depend on this rule.
 */
export function errorTextOf({ stage, detail }: Pick<AttemptOutcome, 'stage' | 'detail'>): string | null {
  if (stage === null) return null;
  return (detail === null ? stage : `${stage} (${detail})`).slice(0, MAX_ERROR_LENGTH);
}

/** How the texts of `errorTextOf` begin for attempts that sent no request. */
export const UNSENT_ERRORS = ['dns', 'ssrf_refused', 'connect', 'tls', 'timeout (connecting)'] as const;

/**
 * The code that stands for undici's error when an endpoint sends a `100 Continue` that the request did not ask for. undici then closes the
 * connection, contrary to RFC 9110 (15.2), and only the message of its error shows the cause. The delivery log contains this code, so that
 * partners see what their endpoint must not send.
 */
const UNASKED_CONTINUE = '100 Continue';
const isUnaskedContinue = ({ message }: Error, code: unknown): boolean =>
  code === 'UND_ERR_SOCKET' && message === 'bad response';

/**
 * Returns the error's code or, if it has no code, its name. When Node has tried several addresses of a host (Happy Eyeballs), the error
 * wraps one error per address, and the code of the first one is returned.
 */
export function codeOf(error: Error): string {
  const { code, errors } = error as Error & { code?: unknown; errors?: unknown };
  if (isUnaskedContinue(error, code)) return UNASKED_CONTINUE;
  if (typeof code === 'string') return code;
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  return first instanceof Error ? codeOf(first) : error.name;
}
