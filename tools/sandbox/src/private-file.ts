import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Writes a JSON file atomically, readable by its owner only. */
export function writePrivately(file: string, value: unknown): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(value), { mode: 0o600 });
  renameSync(draft, file);
}

/** Returns the content of a JSON file; undefined when the file does not exist. */
export const readIfPresent = <T>(file: string): T | undefined =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : undefined;
