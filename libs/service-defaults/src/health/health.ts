import type { OnApplicationShutdown } from '@nestjs/common';

/** The state of one part of an app. */
export interface HealthReport {
  ok: boolean;
  detail?: string;
}

/** One part without which the app can serve no request. */
export interface HealthCheck {
  readonly name: string;
  /** Whether requests can be served now; it answers within seconds. */
  ready(): Promise<HealthReport>;
  close(): Promise<void>;
}

/** All checks of an app. The bus is not one: while it is away requests are served, and events wait. */
export class HealthChecks implements OnApplicationShutdown {
  private stopping = false;

  constructor(private readonly checks: readonly HealthCheck[]) {}

  /** From now on not ready: the load balancer takes the app out before it closes. */
  stop(): void {
    this.stopping = true;
  }

  async ready(): Promise<{ ok: boolean; checks: Record<string, HealthReport> }> {
    const reports = await Promise.all(this.checks.map(async (check) => [check.name, await check.ready()] as const));
    return { ok: !this.stopping && reports.every(([, { ok }]) => ok), checks: Object.fromEntries(reports) };
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.checks.map((check) => check.close()));
  }
}
