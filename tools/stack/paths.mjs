import fs from 'node:fs';
import path from 'node:path';

/** The folder of the repository. */
export const ROOT = path.resolve(import.meta.dirname, '../..');

if (fs.existsSync(path.join(ROOT, '.env'))) process.loadEnvFile(path.join(ROOT, '.env'));

/**
 * The folder in which a stack stores its data, secrets, logs and the process id of its runner. Two stacks can run at once if their folders
 * and ports differ.
 */
export const HOME = path.resolve(ROOT, process.env.TANDEM_DIR || '.tandem');

export const STACK_FILE = path.join(HOME, 'stack.json');
/** Returns the path of the stack file for people: relative to the folder in which the command runs. */
export const shownStackFile = () => path.relative(process.cwd(), STACK_FILE);
export const PIDS_FILE = path.join(HOME, 'pids.json');
export const SECRETS_FILE = path.join(HOME, 'secrets.json');
export const SEED_FILE = path.join(HOME, 'seed.json');
export const VOUCHER_SEED_FILE = path.join(HOME, 'voucher-seed.json');
export const RUNNER_FILE = path.join(HOME, 'runner.pid');

/** The folder for Kafka, which is downloaded once for stacks and tests. */
export const KAFKA_CACHE = process.env.KAFKA_CACHE_DIR || path.join(ROOT, '.tandem', 'kafka-cache');

/** The folder for a downloaded browser, for tests on a machine that has no browser. */
export const BROWSER_CACHE = process.env.BROWSER_CACHE_DIR || path.join(ROOT, '.tandem', 'browser-cache');

export const inRoot = (...parts) => path.join(ROOT, ...parts);
export const inHome = (...parts) => path.join(HOME, ...parts);

/**
 * The compiler, TypeScript 7, as a native program. During a build, only SIGKILL ends the compiler: it ignores SIGTERM and SIGINT. The package
 * `typescript` is older, and is for programs that use the API of the compiler (decision 38).
 */
export const TSC = inRoot(
  `node_modules/@typescript/typescript-${process.platform}-${process.arch}/lib/tsc${process.platform === 'win32' ? '.exe' : ''}`,
);

/** Writes a JSON file atomically, readable by its owner only. */
export const writePrivately = (file, value) => writeTextPrivately(file, `${JSON.stringify(value, null, 2)}\n`);

/** Writes a text file atomically, readable by its owner only. */
export function writeTextPrivately(file, text) {
  const draft = `${file}.${process.pid}`;
  fs.writeFileSync(draft, text, { mode: 0o600 });
  fs.renameSync(draft, file);
}

/** Reads a JSON file. Returns null when it does not exist. */
export const readJson = (file) => (fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : null);
