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

/**
 * The check of an app that can do without its database, in place of the check of the database: a provider under this class in a
 * global module of the app.
 */
export abstract class ReadinessCheck implements HealthCheck {
  abstract readonly name: string;
  abstract ready(): Promise<HealthReport>;
  abstract close(): Promise<void>;
}

/** All checks of an app. The bus is not one: while it is down requests are served, and events wait. */
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
