import { setTimeout as delay } from 'node:timers/promises';
import { fetchFromApp } from './fetch';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- any JSON answer
export type Json = any;

export interface CallOptions {
  readonly body?: object;
  readonly token?: string;
  readonly headers?: Record<string, string>;
}

/** The secrets that a caller needs to authenticate to the apps. */
export interface Secrets {
  /** The private keys with which the apps sign their calls to each other: Ed25519, PKCS #8 in base64. */
  readonly serviceKeys: { privateKeyOf(caller: string): string };
  /** The secret that signs billing's webhooks. */
  readonly payments: string;
  /** The secret that signs the webhooks of the identity vendor, Array. */
  readonly array: string;
}

/** The seven apps, wherever they run. */
export interface Apps {
  readonly secrets: Secrets;
  urlOf(app: string): string;
  /** Sends a request, which must succeed, to an app. @returns the JSON of the answer; null when it has none */
  call(app: string, method: string, path: string, options?: CallOptions): Promise<Json>;
}

/**
 * Sends a request, which must succeed.
 * @returns the JSON of the answer; null when it has none
 * @throws Error when the answer is not a success
 */
export async function callApp(
  url: string,
  method: string,
  path: string,
  { body, token, headers = {} }: CallOptions = {},
): Promise<Json> {
  const answer = await fetchFromApp(url + path, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: body && JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${text}`);
  return text === '' ? null : JSON.parse(text);
}

const ARRIVAL_MS = 30_000;
const RETRY_MS = 20;

/**
 * Runs a probe until it does not throw, for at most 30 s. Used for effects that arrive by events.
 * @throws the probe's last error
 */
export async function eventually<T>(probe: () => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + ARRIVAL_MS; ; await delay(RETRY_MS)) {
    try {
      return await probe();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}
