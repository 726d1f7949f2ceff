import path from 'node:path';
import { parseOptions } from '../options/parse-options.js';
import { installOnce } from '../stack/install.mjs';
import { inHome } from '../stack/paths.mjs';
import { readStack } from '../stack/stack-file.mjs';
import { APPS } from '../../apps/apps.js';

/** A wrong argument of a command. */
export class UsageError extends Error {}

/** The folder of backups when `--folder` is not given. */
export const DEFAULT_FOLDER = inHome('backup');

/**
 * Runs a command. `--help` prints its usage; errors are printed without a stack trace. The exit code is 0 for success,
 * 1 for a failure and 2 for wrong arguments.
 *
 * @param {string} usage
 * @param {import('node:util').ParseArgsConfig['options']} options
 * @param {(values: any) => Promise<number | void>} work returns the exit code, 0 by default
 */
export async function run(usage, options, work) {
  try {
    const { values } = parseOptions({ options: { ...options, help: { type: 'boolean', short: 'h' } } });
    if (values.help) console.log(usage);
    else process.exitCode = (await work(values)) || 0;
  } catch (error) {
    const isUsage = error instanceof UsageError || error.code?.startsWith('ERR_PARSE_ARGS');
    console.error(isUsage ? `${error.message}\n--help lists the options.` : error.message);
    process.exitCode = isUsage ? 2 : 1;
  }
}

/** Connects to a server as its superuser, and runs `work`. */
export async function withClient(url, work) {
  // Packages are installed only here, so that wrong arguments are refused before an installation.
  installOnce();
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url, application_name: 'tandem-backup' });
  client.on('error', () => undefined); // the next statement reports the error
  await client.connect().catch((error) => {
    if (error.code !== 'ECONNREFUSED') throw error;
    throw new Error(
      `no Postgres answers at ${client.host}:${client.port}: start the stack with npm start, or correct the URL`,
    );
  });
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Returns the folder of backups as an absolute path. @returns {string} */
export const folderOf = (given = DEFAULT_FOLDER) => path.resolve(given);

/**
 * Checks that the time of an option is in ISO 8601 with a time zone, and not in the future.
 * @returns {string | undefined} the time, if one is given
 * @throws UsageError for any other value
 */
export function pastTime(name, given) {
  if (given === undefined) return undefined;
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(given) || Number.isNaN(Date.parse(given)))
    throw new UsageError(
      `${name} must be an ISO 8601 time with a time zone, such as 2026-03-01T12:00:00Z, not "${given}"`,
    );
  if (Date.parse(given) > Date.now()) throw new UsageError(`${name} is in the future: ${given}`);
  return given;
}

/** Returns the value of `--bus`, if it is given. @throws UsageError with the error text of `npm start` for an unknown bus */
export function busOf(given) {
  if (given !== undefined && given !== 'kafka' && given !== 'postgres')
    throw new UsageError(`--bus must be kafka or postgres, not "${given}"`);
  return given;
}

/**
 * Returns whether the apps use the Postgres bus: its schema exists, and Kafka is not in use. The schema alone does not decide, because it stays when
 * the apps move to Kafka. Kafka is in use if `--bus` names it or, without `--bus` and `--url`, if the stack that runs here uses it.
 *
 * @param {import('pg').Client} client
 * @param {{ bus?: string, url?: string }} options the options `--bus` and `--url`
 */
export async function usesPostgresBus(client, { bus, url }) {
  if ((bus ?? (url === undefined ? readStack().eventBus : undefined)) === 'kafka') return false;
  const { rows } = await client.query(`select to_regclass('bus.group_cursor') is not null as exists`);
  return rows[0].exists;
}

/** Returns the rows of `apps/apps.js` that the values of `--app` name; `all` names every app. */
export function appsOf(names = []) {
  const unknown = names.find((name) => name !== 'all' && APPS.every((app) => app.name !== name));
  if (unknown !== undefined)
    throw new UsageError(`there is no app "${unknown}": use all, ${APPS.map(({ name }) => name).join(', ')}`);
  return APPS.filter(({ name }) => names.includes('all') || names.includes(name));
}
