import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { TestDatabase } from '@tandem/testing';
import { createDatabaseOfAllApps } from './database-of-all-apps';

const ROOT = path.resolve(__dirname, '../../..');

/** Returns the tables in "How long rows are kept" of docs/operations.md. */
function statedTables(): string[] {
  const operations = readFileSync(path.join(ROOT, 'docs/operations.md'), 'utf8');
  const section = operations.split(/^## /m).find((one) => one.startsWith('How long rows are kept\n')) ?? '';
  const cells = [...section.matchAll(/^\| (`[^|]*?) *\|/gm)].map(([, cell]) => String(cell));
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => String(name)));
}

describe('a table', () => {
  let database: TestDatabase;
  let tables: string[];

  beforeAll(async () => {
    database = await createDatabaseOfAllApps();
    const rows = await database.query<{ name: string }>(
      `select relnamespace::regnamespace || '.' || relname as name from pg_class
       where relkind in ('r', 'p') and not relispartition
         and relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema')`,
    );
    tables = rows.map(({ name }) => name);
  });
  afterAll(() => database?.drop());

  it('has a stated lifetime in docs/operations.md', () => {
    const stated = new Set(statedTables());
    expect(tables.length).toBeGreaterThan(50);
    expect(tables.filter((name) => !stated.has(name) && !stated.has(name.slice(name.indexOf('.') + 1)))).toEqual([]);
  });

  it('with a stated lifetime exists', () => {
    const existing = new Set(tables.flatMap((name) => [name, name.slice(name.indexOf('.') + 1)]));
    expect(statedTables().filter((name) => !existing.has(name))).toEqual([]);
  });
});
