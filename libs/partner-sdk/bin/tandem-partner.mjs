#!/usr/bin/env node
/**
 * `tandem-partner listen` forwards postbacks of test sales to a URL, which must be on this machine unless `--allow-remote` is given. Needs
 * only Node and this package.
 */
import { parseArgs } from 'node:util';
import { LISTEN_OPTIONS, printableLines, runListen } from '../esm/dist/libs/partner-sdk/src/listen/index.js';

const USAGE_CODE = 2;
const HELP = { help: { type: 'boolean', describe: 'Print this help' } };

function help() {
  const options = Object.entries({ ...LISTEN_OPTIONS, ...HELP });
  const lines = options.map(([name, { describe }]) => `  --${name.padEnd(14)} ${describe}`);
  return ['npx @tandem/partner listen --to <port or URL> [options]', '', ...lines].join('\n');
}

// Without a flag, Node 18 has no global `crypto`.
globalThis.crypto ??= (await import('node:crypto')).webcrypto;
// A program that reads the output, such as `head`, may close the pipe early. A write then fails.
process.stdout.on('error', () => process.exit(0));

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());

try {
  const { values, positionals } = parse();
  if (values.help) console.log(help());
  else if (positionals.join(' ') !== 'listen') throw new TypeError('the only command is listen');
  else await runListen(values, { env: process.env, print: (line) => console.log(line), signal: stop.signal });
} catch (error) {
  const usage = error instanceof TypeError;
  // The message may contain a text from the platform, with control characters.
  const message = printableLines(error.message);
  console.error(usage ? `${message}\nSee: npx @tandem/partner --help` : message);
  process.exitCode = usage ? USAGE_CODE : 1;
}

function parse() {
  return parseArgs({ options: { ...LISTEN_OPTIONS, ...HELP }, allowPositionals: true });
}
