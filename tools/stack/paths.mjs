import fs from 'node:fs';
import path from 'node:path';

/** The repository. */
export const ROOT = path.resolve(import.meta.dirname, '../..');

if (fs.existsSync(path.join(ROOT, '.env'))) process.loadEnvFile(path.join(ROOT, '.env'));

/** Everything that a stack keeps: data, secrets, logs, and who runs it. Two stacks run side by side with two of these. */
export const HOME = path.resolve(ROOT, process.env.TANDEM_DIR || '.tandem');

export const STACK_FILE = path.join(HOME, 'stack.json');
export const PIDS_FILE = path.join(HOME, 'pids.json');
export const SECRETS_FILE = path.join(HOME, 'secrets.json');
export const SEED_FILE = path.join(HOME, 'seed.json');
export const VOUCHER_SEED_FILE = path.join(HOME, 'voucher-seed.json');
export const RUNNER_FILE = path.join(HOME, 'runner.pid');

/** The broker's jars are fetched once, for stacks and tests alike. */
export const KAFKA_CACHE = process.env.KAFKA_CACHE_DIR || path.join(ROOT, '.tandem', 'kafka-cache');

/** The browser of the tests, where none is installed. */
export const BROWSER_CACHE = process.env.BROWSER_CACHE_DIR || path.join(ROOT, '.tandem', 'browser-cache');

export const inRoot = (...parts) => path.join(ROOT, ...parts);
export const inHome = (...parts) => path.join(HOME, ...parts);

/** Writes a file whole or not at all, readable by its owner only. */
export const writePrivately = (file, value) => writeTextPrivately(file, `${JSON.stringify(value, null, 2)}\n`);

/** The same for a file that is not JSON. */
export function writeTextPrivately(file, text) {
  const draft = `${file}.${process.pid}`;
  fs.writeFileSync(draft, text, { mode: 0o600 });
  fs.renameSync(draft, file);
}

/** A JSON file's content, or null when there is none. */
export const readJson = (file) => (fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : null);
