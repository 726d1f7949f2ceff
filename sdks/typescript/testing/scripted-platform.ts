import type { Pace } from '../pace';

/** An answer of the platform, or the reason why no answer comes. */
export type Answer =
  | { readonly fails: 'refused' | 'reset' | 'silence' }
  | {
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly json?: unknown;
      readonly text?: string;
    };

export interface SentRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly json: unknown;
}

const CODES = { refused: 'ECONNREFUSED', reset: 'ECONNRESET' } as const;

/** A platform that gives a fixed list of answers, one for each request, and records the requests. */
export class ScriptedPlatform {
  readonly requests: SentRequest[] = [];
  private readonly answers: Answer[];

  constructor(answers: readonly Answer[]) {
    this.answers = [...answers];
  }

  readonly fetch: typeof fetch = async (input, init = {}) => {
    const body = init.body as string | undefined;
    this.requests.push({
      method: init.method ?? 'GET',
      url: new URL(String(input)),
      headers: new Headers(init.headers),
      json: body === undefined ? undefined : JSON.parse(body),
    });
    const answer = this.answers.shift();
    if (!answer) throw new Error('the list of answers has ended');
    if (!('fails' in answer)) {
      const text = answer.text ?? JSON.stringify(answer.json);
      return new Response(answer.status === 204 ? null : text, { status: answer.status, headers: answer.headers });
    }
    if (answer.fails === 'silence') await silence(init.signal as AbortSignal);
    throw new TypeError('fetch failed', { cause: { code: CODES[answer.fails as keyof typeof CODES] } });
  };
}

const silence = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

/** A clock that advances only by waiting. The clock records the waits, in seconds. */
export class RecordedPace implements Pace {
  readonly waits: number[] = [];
  private time = 1_795_262_060_000;

  now(): number {
    return this.time;
  }

  random(): number {
    return Math.random();
  }

  async sleep(milliseconds: number): Promise<void> {
    this.waits.push(milliseconds / 1000);
    this.time += milliseconds;
  }
}
