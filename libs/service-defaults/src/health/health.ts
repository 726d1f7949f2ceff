/** What one part of an app says of itself. */
export interface HealthReport {
  ok: boolean;
  detail?: string;
}

/** One part that the app's health depends on. */
export interface HealthCheck {
  readonly name: string;
  /** Whether requests and events can be served now. */
  ready(): HealthReport | Promise<HealthReport>;
  /** Whether the process can still recover by itself; left out: always. */
  alive?(): HealthReport;
}

/** All checks of an app. */
export class HealthChecks {
  private stopping = false;

  constructor(private readonly checks: readonly HealthCheck[]) {}

  /** From now on not ready: the load balancer takes the app out before it closes. */
  stop(): void {
    this.stopping = true;
  }

  async ready(): Promise<{ ok: boolean; checks: Record<string, HealthReport> }> {
    const reports = await Promise.all(this.checks.map((check) => check.ready()));
    return this.collect(reports, !this.stopping);
  }

  alive(): { ok: boolean; checks: Record<string, HealthReport> } {
    return this.collect(
      this.checks.map((check) => check.alive?.() ?? { ok: true }),
      true,
    );
  }

  private collect(reports: HealthReport[], ok: boolean): { ok: boolean; checks: Record<string, HealthReport> } {
    const checks = Object.fromEntries(this.checks.map(({ name }, index) => [name, reports[index] as HealthReport]));
    return { ok: ok && reports.every((report) => report.ok), checks };
  }
}
