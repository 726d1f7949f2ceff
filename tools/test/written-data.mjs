import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { formsOf } from './encodings.mjs';

const PAGE_BYTES = 8192;

/**
 * Reads all tables and metrics, and lists every file of the stack, including the files of Postgres and its write-ahead log, to be read later.
 *
 * @param {string} home  the stack's folder
 * @param {any} stack  the content of stack.json
 * @param {Map<string, () => Buffer>} written  receives, for each place, a function that returns the bytes of this place
 */
export async function readEverything(home, { apps, postgres }, written) {
  await withConnection(postgres.url, async (client) => {
    const { rows: tables } = await client.query(
      `select schemaname || '.' || tablename as name, format('%I.%I', schemaname, tablename) as sql from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    for (const { name, sql } of tables) {
      const { rows } = await client.query(`select to_jsonb(t) as row from ${sql} t`);
      const text = Buffer.from(rows.map(({ row }) => Object.values(row).map(plain).join('\n')).join('\n'));
      written.set(`table ${name}`, () => text);
    }
    await client.query('checkpoint');
  });
  for (const [name, { metrics }] of Object.entries(apps)) {
    const text = Buffer.from(await (await fetch(metrics)).text());
    written.set(`metrics of ${name}`, () => text);
  }
  for (const entry of fs.readdirSync(home, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    written.set(path.relative(home, file), () => withoutEmptyPages(readFile(file)));
  }
}

/** Opens a connection to a database, runs `work` with it, and closes it. */
export async function withConnection(url, work) {
  const { Client } = createRequire(import.meta.url)('pg');
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Returns the value of a column as text. Postgres returns bytes in hex, so they are decoded. */
function plain(value) {
  if (typeof value === 'string' && /^\\x(?:[0-9a-f]{2})*$/.test(value))
    return Buffer.from(value.slice(2), 'hex').toString();
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Reads a file. Returns an empty buffer when the file no longer exists, because Postgres removes files while it runs. */
function readFile(file) {
  try {
    return fs.readFileSync(file);
  } catch (error) {
    if (error.code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

/** Removes empty pages, because the segments of the write-ahead log are mostly empty. */
function withoutEmptyPages(bytes) {
  const empty = Buffer.alloc(PAGE_BYTES);
  const pages = [];
  for (let at = 0; at < bytes.length; at += PAGE_BYTES) {
    const page = bytes.subarray(at, at + PAGE_BYTES);
    if (!page.equals(empty.subarray(0, page.length))) pages.push(page);
  }
  return Buffer.concat(pages);
}

const forms = new Map();

/** Returns the values that the bytes contain, each with the form in which it was found. */
export function foundIn(bytes, values) {
  for (const value of values) if (!forms.has(value)) forms.set(value, formsOf(value));
  return values.flatMap((value) =>
    [...forms.get(value)].filter(([, form]) => bytes.includes(form)).map(([form]) => `${value} as ${form}`),
  );
}
