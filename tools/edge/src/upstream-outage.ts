import type { FastifyBaseLogger } from 'fastify';

/** Logs the outage of an app: one line when it stops answering and one when it is back, however many requests fail in between. */
export class UpstreamOutage {
  private since: number | undefined;

  constructor(
    private readonly upstream: string,
    private readonly log: Pick<FastifyBaseLogger, 'info' | 'error'>,
  ) {}

  /** A request was not answered. */
  failed(reason: string): void {
    if (this.since !== undefined) return;
    this.since = Date.now();
    this.log.error({ upstream: this.upstream, reason }, 'the app does not answer');
  }

  /** A request was answered, with any status. */
  answered(): void {
    if (this.since === undefined) return;
    this.log.info({ upstream: this.upstream, outageMs: Date.now() - this.since }, 'the app answers again');
    this.since = undefined;
  }
}
