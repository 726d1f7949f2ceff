import { EventEmitter } from 'node:events';
import { SandboxError } from '../errors';
import type { SignatureCheck } from './signing-secrets';

/** A request to an inbox, as it arrived. */
export interface InboxMessage {
  /** Higher than the id of every earlier message, in any inbox. */
  id: number;
  receivedAt: string;
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  /** The number of requests with the same `webhook-id` in this inbox, up to this request; 1 without a `webhook-id`. */
  attempt: number;
  signature: SignatureCheck;
  rawBody: string;
}

/** The configured answers of an inbox. */
export interface InboxBehaviour {
  status: number;
  delayMs: number;
  /** Whether the inbox accepts a request and never answers it. */
  hang: boolean;
  /** The number of further requests with this behavior, after which the inbox answers 200 again; null: no end. */
  times: number | null;
  headers: Record<string, string>;
}

export const HEALTHY: InboxBehaviour = { status: 200, delayMs: 0, hang: false, times: null, headers: {} };

/** Memory limits. Above MAX_MESSAGES or MAX_BYTES, the oldest messages of all inboxes are dropped. */
const MAX_MESSAGES = 50_000;
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_BEHAVIOURS = 10_000;

/** The endpoints of partners, by name. The first request to a name creates its inbox. */
export class InboxBook {
  readonly #inboxes = new Map<string, Map<number, InboxMessage>>();
  /** All messages, in the order of arrival across all inboxes. The first message is the next to be dropped. */
  readonly #order = new Map<number, { name: string; bytes: number }>();
  /** The number of requests by inbox and `webhook-id`. */
  readonly #attempts = new Map<string, number>();
  readonly #behaviours = new Map<string, InboxBehaviour>();
  readonly #arrivals = new EventEmitter().setMaxListeners(0);
  readonly #limits: { messages: number; bytes: number };
  #bytes = 0;
  #lastId = 0;

  constructor(limits = { messages: MAX_MESSAGES, bytes: MAX_BYTES }) {
    this.#limits = limits;
  }

  /** Stores a request and passes it to the listeners of the inbox. */
  record(name: string, request: Omit<InboxMessage, 'id' | 'attempt'>): void {
    const message = { id: ++this.#lastId, attempt: this.#countAttempt(name, request), ...request };
    const bytes = message.rawBody.length + JSON.stringify(message.headers).length + message.path.length;
    const inbox = this.#inboxes.get(name) ?? new Map<number, InboxMessage>();
    this.#inboxes.set(name, inbox.set(message.id, message));
    this.#order.set(message.id, { name, bytes });
    this.#bytes += bytes;
    for (const [id] of this.#order) {
      if (this.#order.size <= this.#limits.messages && this.#bytes <= this.#limits.bytes) break;
      this.#forget(id);
    }
    this.#arrivals.emit(name, message);
  }

  /** Lists the inboxes that have messages, in the order of their latest message, newest first. */
  overview(): { name: string; count: number; lastAt: string }[] {
    const all = [...this.#inboxes].map(([name, messages]) => {
      const last = [...messages.values()].at(-1) as InboxMessage;
      return { name, count: messages.size, last };
    });
    return all
      .sort((one, other) => other.last.id - one.last.id)
      .map(({ name, count, last }) => ({ name, count, lastAt: last.receivedAt }));
  }

  /** Returns the name of an inbox that has a message with this text in its body; null when there is none. */
  findByBody(text: string): string | null {
    for (const [name, messages] of this.#inboxes) {
      for (const { rawBody } of messages.values()) if (rawBody.includes(text)) return name;
    }
    return null;
  }

  /** Lists the messages of an inbox, newest first. */
  list(name: string): InboxMessage[] {
    return [...(this.#inboxes.get(name)?.values() ?? [])].reverse();
  }

  /** Deletes the messages of an inbox. @returns the number of deleted messages */
  clear(name: string): number {
    const ids = [...(this.#inboxes.get(name)?.keys() ?? [])];
    for (const id of ids) this.#forget(id);
    return ids.length;
  }

  /** Calls `listener` for each message that arrives from now on, until the returned function is called. */
  watch(name: string, listener: (message: InboxMessage) => void): () => void {
    this.#arrivals.on(name, listener);
    return () => this.#arrivals.off(name, listener);
  }

  /** Sets the behavior of an inbox. @throws SandboxError when too many inboxes have a configured behavior */
  setBehaviour(name: string, behaviour: Partial<InboxBehaviour>): InboxBehaviour {
    if (this.#behaviours.size >= MAX_BEHAVIOURS && !this.#behaviours.has(name)) {
      throw new SandboxError(409, `${MAX_BEHAVIOURS} inboxes have a behaviour of their own already`);
    }
    const whole = { ...HEALTHY, ...behaviour };
    this.#behaviours.set(name, whole);
    return whole;
  }

  /** Returns the behavior for the next request. */
  behaviourOf(name: string): InboxBehaviour {
    return this.#behaviours.get(name) ?? HEALTHY;
  }

  /** Returns the behavior for the next request, and counts the request against `times`. */
  nextBehaviour(name: string): InboxBehaviour {
    const behaviour = this.behaviourOf(name);
    if (behaviour.times !== null) {
      if (behaviour.times > 1) this.#behaviours.set(name, { ...behaviour, times: behaviour.times - 1 });
      else this.#behaviours.delete(name);
    }
    return behaviour;
  }

  #countAttempt(name: string, { headers }: Pick<InboxMessage, 'headers'>): number {
    const id = headers['webhook-id'];
    if (typeof id !== 'string') return 1;
    const key = `${name} ${id}`;
    const attempt = (this.#attempts.get(key) ?? 0) + 1;
    this.#attempts.set(key, attempt);
    return attempt;
  }

  #forget(id: number): void {
    const entry = this.#order.get(id);
    if (!entry) return;
    this.#order.delete(id);
    this.#bytes -= entry.bytes;
    const inbox = this.#inboxes.get(entry.name);
    const message = inbox?.get(id);
    const key = `${entry.name} ${String(message?.headers['webhook-id'])}`;
    // If this is the newest message with its webhook-id, the older ones have already been dropped, so the counter is no
    // longer needed.
    if (message && this.#attempts.get(key) === message.attempt) this.#attempts.delete(key);
    inbox?.delete(id);
    if (inbox?.size === 0) this.#inboxes.delete(entry.name);
  }
}
