import type { DataSource } from 'typeorm';
import type { HealthCheck, HealthReport } from './health';

const TIMEOUT_MS = 2_000;

/** Ready while Postgres answers. */
export class DatabaseCheck implements HealthCheck {
  readonly name = 'database';

  constructor(private readonly dataSource: DataSource) {}

  async ready(): Promise<HealthReport> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer in ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
    });
    try {
      await Promise.race([this.dataSource.query('select 1'), late]);
      return { ok: true };
    } catch (error) {
      return { ok: false, detail: (error as Error).message };
    } finally {
      clearTimeout(timer);
    }
  }
}
