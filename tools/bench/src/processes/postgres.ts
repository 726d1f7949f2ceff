import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Child, Cleanup, ROOT } from './child';

/**
 * The settings that differ from Postgres's defaults. None of them concerns durability: each commit waits for the disk,
 * as in production. pg_stat_statements is loaded for `chain/statements.ts`.
 */
const SETTINGS: readonly string[] = [
  'shared_buffers=512MB',
  'max_wal_size=4GB',
  'checkpoint_timeout=15min',
  'shared_preload_libraries=pg_stat_statements',
];

/** Starts a PostgreSQL for this run. @returns its superuser URL */
export async function startPostgres(cleanup: Cleanup): Promise<string> {
  const directory = mkdtempSync(path.join(tmpdir(), 'tandem-bench-'));
  chmodSync(directory, 0o755); // when this process runs as root, the server runs as another account
  cleanup.add(async () => rmSync(directory, { recursive: true, force: true }));
  const { child, ready } = await Child.start<{ url: string }>({
    name: 'postgres',
    file: path.join(ROOT, 'tools/postgres/postgres.mjs'),
    args: [directory, '0', ...SETTINGS],
  });
  cleanup.add(() => child.stop());
  return ready.url;
}
