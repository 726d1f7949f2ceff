import { randomUUID } from 'node:crypto';
import { signedHeaders } from '@tandem/stack-client';
import type { Json } from '../platform/apps';
import { fetchFromApp } from '../platform/fetch';
import type { Platform } from '../platform/platform';
import { rulesBeyondSchema } from '../platform/rules-beyond-schema';
import { isBusy } from './answer-rules';
import type { Subject } from './documents';
import type { Tally } from './findings';
import { patience } from './patience';
import type { Choice } from './random';

export interface StepAnswer {
  readonly status: number;
  /** The JSON of the answer; an empty object when the answer has no JSON. */
  readonly body: Json;
  readonly headers: Headers;
}

interface StepOptions {
  readonly token?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown to end a sequence that cannot continue. If there is a finding, it has already been reported. */
export class SequenceEndedError extends Error {}

/** Where the requests of a sequence are sent. */
export interface StepTarget {
  readonly platform: Platform;
  readonly subjects: readonly Subject[];
  /** Returns the base URL for requests to an app. */
  readonly urlOf: (app: string) => string;
  readonly limitMs: number;
}

/**
 * Sends the requests of one sequence. Each answer is compared with the documents and with the statuses that the
 * sequence expects.
 */
export class Steps {
  constructor(
    readonly name: string,
    private readonly target: StepTarget,
    private readonly tally: Tally,
    readonly choice: Choice,
  ) {}

  get platform(): Platform {
    return this.target.platform;
  }

  /**
   * Sends a request.
   * @param request method, path and query
   * @param expected the statuses that the sequence allows here; empty: any documented status
   * @throws SequenceEndedError when there is no answer, the answer is a documented 503 or 504, or the status is not expected
   */
  async send(
    app: string,
    request: string,
    options: StepOptions,
    expected: readonly number[] = [],
  ): Promise<StepAnswer> {
    const { response, text } = await this.answerTo(app, request, options);
    this.judge(app, request, response, text, expected);
    return { status: response.status, body: /^[[{]/.test(text) ? JSON.parse(text) : {}, headers: response.headers };
  }

  /** @throws SequenceEndedError when there is no answer */
  private async answerTo(
    app: string,
    request: string,
    { token, body, headers = {} }: StepOptions,
  ): Promise<{ response: Response; text: string }> {
    const [method = '', target = ''] = request.split(' ');
    const began = Date.now();
    const waiting = patience(this.target.limitMs);
    try {
      const response = await fetchFromApp(this.target.urlOf(app) + target, {
        method,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...headers,
        },
        ...(body !== undefined && { body: new Uint8Array(Buffer.from(JSON.stringify(body))) }),
        signal: waiting.signal,
      });
      const text = await response.text();
      this.tally.count(`sequence: ${this.name}`, [response.status], Date.now() - began);
      return { response, text };
    } catch (error) {
      this.tally.count(`sequence: ${this.name}`, [], Date.now() - began);
      this.fault(request, `is not answered: ${(error as Error).name}`, String((error as Error).cause ?? error));
      throw new SequenceEndedError();
    } finally {
      waiting.end();
    }
  }

  /** Sends a signed webhook as billing does. */
  webhook(body: object, expected: readonly number[] = [200]): Promise<StepAnswer> {
    const headers = signedHeaders(this.platform.apps.secrets.payments, JSON.stringify(body), `msg_${randomUUID()}`);
    return this.send('webhook-ingest', 'POST /idp/payments/webhook', { body, headers }, expected);
  }

  /** Sends several requests at the same time. */
  atOnce(count: number, send: (index: number) => Promise<StepAnswer>): Promise<StepAnswer[]> {
    return Promise.all(Array.from({ length: count }, (_, index) => send(index)));
  }

  /** Reports a finding if a condition does not hold. */
  check(holds: boolean, complaint: string, shown: unknown): void {
    if (!holds) this.fault('', complaint, JSON.stringify(shown));
  }

  private judge(app: string, request: string, response: Response, text: string, expected: readonly number[]): void {
    const [method = '', target = ''] = request.split(' ');
    const { status } = response;
    const shown = `${request} -> ${status} ${text.slice(0, 300)}`;
    const path = target.split('?', 1)[0] as string;
    const subject = this.target.subjects.find(
      (one) => one.app === app && one.operation.method === method && one.path.test(path),
    );
    if (!subject) throw new Error(`the sequence ${this.name} calls an operation that no document has: ${request}`);
    const header = (name: string): string | undefined => response.headers.get(name) ?? undefined;
    const answer = {
      status,
      text,
      contentType: header('content-type'),
      cacheControl: header('cache-control'),
      contentTypeOptions: header('x-content-type-options'),
    };
    const sent = { method, target, headers: {}, credentials: 'good', fits: false } as const;
    const { check, operation } = subject;
    if (isBusy(status, operation)) throw new SequenceEndedError();
    for (const complaint of check.complaintsOf(operation, sent, answer, rulesBeyondSchema(operation.name)))
      this.fault(operation.name, complaint, shown);
    if (expected.length === 0 || expected.includes(status)) return;
    this.fault(operation.name, `answers ${status}, expected ${expected.join(' or ')}`, shown);
    throw new SequenceEndedError();
  }

  private fault(operation: string, complaint: string, shown: string): void {
    this.tally.report(`sequence: ${this.name}`, operation, complaint, shown);
  }
}

/** A sequence of requests with state: requests use values that earlier answers returned. */
export type Sequence = (steps: Steps) => Promise<void>;

/** Returns a text with one character changed. */
export function flipped(text: string, choice: Choice): string {
  const at = choice.below(text.length);
  return text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
}
