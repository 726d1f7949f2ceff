import { verifyWebhook, WebhookVerificationError, type WebhookHeaders, type WebhookRefusal } from '@tandem/auth';
import { SandboxError } from '../errors';
import { readIfPresent, writePrivately } from '../private-file';

/** The result of checking a signature: `good`, `no_secret` when the inbox has no secret, or the reason why the signature is not valid. */
export type SignatureCheck = 'good' | 'no_secret' | WebhookRefusal;

/**
 * The maximum number of secrets of an inbox. An inbox needs several: an endpoint may serve live and test, and after a rotation the
 * previous secret stays valid for a while.
 */
const KEPT_SECRETS = 10;
const MAX_INBOXES = 10_000;

/**
 * The signing secrets (Standard Webhooks) of the inboxes, by the inbox's name. They are stored in a file, because the partner API shows a
 * secret only once. The sandbox never returns or logs them.
 */
export class SigningSecrets {
  readonly #file: string;
  readonly #secrets: Map<string, string[]>;

  constructor(file: string) {
    this.#file = file;
    this.#secrets = new Map(Object.entries(readIfPresent<Record<string, string[]>>(file) ?? {}));
  }

  /**
   * Adds a secret with which later requests to an inbox may be signed.
   * @param secret `whsec_` and base64 of 24 to 64 bytes
   * @returns how many secrets the inbox has
   * @throws SandboxError when too many inboxes have a secret
   */
  add(name: string, secret: string): number {
    const kept = this.#secrets.get(name) ?? [];
    if (kept.length === 0 && this.#secrets.size >= MAX_INBOXES) {
      throw new SandboxError(409, `${MAX_INBOXES} inboxes have a signing secret already`);
    }
    const secrets = [secret, ...kept.filter((other) => other !== secret)].slice(0, KEPT_SECRETS);
    this.#secrets.set(name, secrets);
    writePrivately(this.#file, Object.fromEntries(this.#secrets));
    return secrets.length;
  }

  /** Checks the signature of a request as a partner's endpoint would. */
  check(name: string, headers: WebhookHeaders, rawBody: Buffer, now: Date): SignatureCheck {
    const secrets = this.#secrets.get(name);
    if (!secrets) return 'no_secret';
    try {
      verifyWebhook({ secrets, headers, rawBody, now });
      return 'good';
    } catch (error) {
      if (error instanceof WebhookVerificationError) return error.reason;
      throw error;
    }
  }
}
