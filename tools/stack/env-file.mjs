import fs from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { inHome, inRoot, writeTextPrivately } from './paths.mjs';

/** The quotes that a dotenv file can put around a value. Quotes cannot be escaped, so the value must not contain the chosen kind of quotes. */
const QUOTES = ["'", '`', '"'];

/** Formats a variable as a line of a dotenv file. @throws for a value that contains all kinds of quotes */
function lineOf([name, value]) {
  const quote = QUOTES.find((one) => !value.includes(one));
  if (quote === undefined) throw new Error(`${name} has quotes of all kinds and cannot be written to a file`);
  return `${name}=${quote}${value}${quote}\n`;
}

/**
 * Writes each app's environment to `.tandem/env/<app>.env`, so that an IDE can start a single app. Each file includes the variables of
 * the repository's `.env`. Only its owner can read the file, because it contains secrets.
 * @param {Record<string, Record<string, string>>} apps  app → environment
 * @param {string} [folder]
 */
export function writeEnvFiles(apps, folder = inHome('env')) {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const own = fs.existsSync(inRoot('.env')) ? parseEnv(fs.readFileSync(inRoot('.env'), 'utf8')) : {};
  for (const [app, environment] of Object.entries(apps)) {
    const set = Object.entries({ ...own, ...environment }).filter(([, value]) => value !== undefined);
    const text = set.map(lineOf).join('');
    writeTextPrivately(path.join(folder, `${app}.env`), text);
  }
}
