import type { OnApplicationShutdown } from '@nestjs/common';

/** The state of one part of an app. */
export interface HealthReport {
  ok: boolean;
  detail?: string;
}

/** Checks a part of the app without which the app cannot serve any request, such as its database. */
export interface HealthCheck {
  readonly name: string;
  /** Whether requests can be served now. Must resolve within seconds. */
  ready(): Promise<HealthReport>;
  close(): Promise<void>;
}

/**
 * Replaces the check of the database in an app that can serve requests without a database. The app provides its check with this class as
 * the token, in a global module.
 */
export abstract class ReadinessCheck implements HealthCheck {
  abstract readonly name: string;
  abstract ready(): Promise<HealthReport>;
  abstract close(): Promise<void>;
}

/** All checks of an app. The bus is not among them: while it is down, requests are served and events wait. */
export class HealthChecks implements OnApplicationShutdown {
  private stopping = false;

  constructor(private readonly checks: readonly HealthCheck[]) {}

  /** Reports not ready from now on, so that the load balancer removes the app before the app closes. */
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
