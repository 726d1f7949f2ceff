import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Client } from 'pg';

/**
 * The time until a change of `pg_stat_statements.track` has taken effect. A session sees the change when it runs its
 * next statement. Even in an idle app, the relay runs a statement every second.
 */
const TAKES_EFFECT_MS = 1_500;

/**
 * Sets which statements pg_stat_statements counts: top-level statements or none. The extension counts by default, so
 * this function is called with 'none' before anything is measured. The server does not get the setting as a flag,
 * because a flag could not be changed later.
 */
export const setTracking = async (client: Client, track: 'top' | 'none'): Promise<void> => {
  await client.query(`alter system set pg_stat_statements.track = '${track}'`);
  await client.query('select pg_reload_conf()');
  await new Promise((resolve) => setTimeout(resolve, TAKES_EFFECT_MS));
};

/**
 * Counts the statements that Postgres runs during the work, including BEGIN and COMMIT. Counting costs CPU time, so it
 * needs a separate run.
 *
 * @param profile a folder for `statements.tsv`, which lists the statements by their number of calls; if null, only
 *   counts
 */
export async function countStatements(
  client: Client,
  work: () => Promise<unknown>,
  profile: string | null,
): Promise<number> {
  await client.query('create extension if not exists pg_stat_statements');
  await setTracking(client, 'top');
  await client.query('select pg_stat_statements_reset()');
  await work();
  const { rows } = await client.query<{ role: string; calls: number; ms: number; query: string }>(
    `select userid::regrole::text as role, calls::float8, total_exec_time + total_plan_time as ms, query
     from pg_stat_statements where query not like '%pg_stat_statements%' order by calls desc`,
  );
  await setTracking(client, 'none');
  if (profile !== null) {
    const lines = rows.map(({ role, calls, ms, query }) => [role, calls, ms.toFixed(1), query.replace(/\s+/g, ' ')]);
    writeFileSync(path.join(profile, 'statements.tsv'), lines.map((line) => `${line.join('\t')}\n`).join(''));
  }
  return rows.reduce((sum, { calls }) => sum + calls, 0);
}
