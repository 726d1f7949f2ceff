import fs from 'node:fs';
import { inHome } from './paths.mjs';

const PROGRESS_MS = 10_000;
const LOUD = ['warn', 'error', 'fatal'];
const color = (code, text) => (process.stdout.isTTY ? `\u001b[${code}m${text}\u001b[0m` : text);

export const bold = (text) => color(1, text);
export const dim = (text) => color(2, text);

/** Prints a line about the progress. Does not fail when the reader has closed the output. */
export const report = (text = '') => console.log(text);
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);

/**
 * Runs a step. Prints the name of the step and, every 10 s, how long the step has been running. If the step succeeds, also prints the
 * duration, and the result if it is a text.
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @param {() => string} [progress] returns a text about the progress, such as `100 of 250 packages`
 * @returns {Promise<T>}
 */
export async function step(name, work, progress) {
  const began = Date.now();
  const live = process.stdout.isTTY;
  if (live) process.stdout.write(`  … ${name}`);
  const ticking = setInterval(() => {
    const line = `  … ${[name, progress?.()].filter(Boolean).join(': ')} after ${Math.round((Date.now() - began) / 1000)} s`;
    // A step with `progress` may print other lines too, so its lines do not replace the previous line of the terminal.
    if (live && !progress) process.stdout.write(`\r\u001b[K${line}`);
    else report(live ? `\r\u001b[K${line}` : line);
  }, PROGRESS_MS);
  try {
    const result = await work();
    const note = typeof result === 'string' && result ? dim(` (${result})`) : '';
    const line = `  ✓ ${name.padEnd(34)} ${((Date.now() - began) / 1000).toFixed(1).padStart(5)} s${note}`;
    console.log(live ? `\r\u001b[K${line}` : line);
    return result;
  } catch (error) {
    console.log(live ? `\r\u001b[K  ✗ ${name}` : `  ✗ ${name}`);
    throw error;
  } finally {
    clearInterval(ticking);
  }
}

/** Stores the output of programs in `logs/<name>.log` in the stack's folder, and prints warnings and errors on the terminal. */
export class LogBook {
  #files = new Map();
  #tails = new Map();

  /** @param {boolean} verbose  whether every line is printed on the terminal */
  constructor(verbose) {
    this.verbose = verbose;
    fs.mkdirSync(inHome('logs'), { recursive: true, mode: 0o700 });
  }

  add(name, line) {
    if (!this.#files.has(name)) this.#files.set(name, openLog(name));
    fs.writeSync(this.#files.get(name), `${line}\n`);
    this.#tails.set(name, [...(this.#tails.get(name) ?? []), line].slice(-15));
    const text = this.verbose ? line : summary(line);
    if (text) report(`${dim(name.padEnd(20))} ${text}`);
  }

  /** Returns the last 15 lines that a program printed. */
  tail(name) {
    return this.#tails.get(name) ?? [];
  }
}

/** Opens the log file of a program, and keeps the file of the previous start as `<name>.log.1`. */
function openLog(name) {
  const file = inHome('logs', `${name}.log`);
  if (fs.existsSync(file)) fs.renameSync(file, `${file}.1`);
  return fs.openSync(file, 'a', 0o600);
}

/** Returns a short form of a JSON log line that is a warning or worse; undefined for other lines. */
function summary(line) {
  if (!line.startsWith('{')) return undefined;
  try {
    const { level, msg, reason, err } = JSON.parse(line);
    const name =
      typeof level === 'number'
        ? level >= 60
          ? 'fatal'
          : level >= 50
            ? 'error'
            : level >= 40
              ? 'warn'
              : 'info'
        : level;
    if (!LOUD.includes(name)) return undefined;
    return `${name}: ${[msg, reason ?? err?.message].filter(Boolean).join(': ')}`;
  } catch {
    return undefined;
  }
}
