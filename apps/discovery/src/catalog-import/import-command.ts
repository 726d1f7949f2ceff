import { readFile, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { describeDiff } from './catalog-diff.rules';
import type { CatalogImportService, PlannedImport } from './catalog-import.service';

export const USAGE = `import FILE [--dry-run] [--yes] [--allow-removals]
export [FILE]

import   shows the changes, asks, and then replaces the catalog with the file in one step. Replicas serve it within a second.
export   writes the catalog to a file that can be imported, or prints it

  --dry-run          only shows what changes
  --yes              does not ask; when there is no terminal, --yes or --dry-run is required
  --allow-removals   imports even if more than half of the locations are removed, or the number of endpoints falls by more than half
`;

/** The arguments of the command are wrong or incomplete. */
export class UsageError extends Error {}

/** The input and output of the command. */
export interface Terminal {
  readonly print: (text: string) => void;
  /** Asks a question, and returns the answer. This method is missing when stdin is not a terminal. */
  readonly ask?: (question: string) => Promise<string>;
}

/** The terminal of this process. */
export const terminal: Terminal = {
  print: (text) => void process.stdout.write(text),
  ...(process.stdin.isTTY && { ask: askHere }),
};

async function askHere(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

/**
 * Runs the command `import` or `export` with the given arguments.
 *
 * @throws UsageError for wrong arguments, or for an import with neither `ask`, --yes nor --dry-run
 * @throws InvalidCatalogError, CatalogChangedError or TooManyRemovalsError from the import, or an error of the file system or of Postgres
 */
export async function runCommand(
  args: readonly string[],
  catalog: CatalogImportService,
  { print, ask }: Terminal,
): Promise<void> {
  const { command, file, dryRun, yes, allowRemovals } = optionsOf(args);
  if (command === 'export') return exportTo(file, catalog, print);
  if (!dryRun && !yes && !ask)
    throw new UsageError('there is no terminal for the confirmation: give --yes or --dry-run');
  const planned = await catalog.planImport(await readFile(file, 'utf8'));
  print(`${describeDiff(planned.diff).join('\n')}\n`);
  if (planned.diff.changes.length === 0 || dryRun) return;
  if (!yes && !(await isConfirmed(planned, ask as NonNullable<Terminal['ask']>)))
    return print('nothing was imported\n');
  await planned.apply(allowRemovals);
  print('imported\n');
}

/** Exports the catalog. @param file the file to write; when empty, the catalog is printed */
async function exportTo(file: string, catalog: CatalogImportService, print: Terminal['print']): Promise<void> {
  const text = await catalog.exportFile();
  if (file === '') return print(text);
  await writeFile(file, text);
  print(`exported to ${file}\n`);
}

async function isConfirmed({ diff }: PlannedImport, ask: NonNullable<Terminal['ask']>): Promise<boolean> {
  const answer = await ask(`Import this (${diff.changes.length} locations change)? [y/N] `);
  return /^y(es)?$/i.test(answer.trim());
}

function optionsOf(args: readonly string[]) {
  const flag = { type: 'boolean', default: false } as const;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { 'dry-run': flag, yes: flag, 'allow-removals': flag },
    });
    const [command, file = '', ...rest] = positionals;
    const isKnown = (command === 'import' && file !== '') || command === 'export';
    if (!isKnown || rest.length > 0) throw new Error('give a command: import FILE, or export [FILE]');
    return { command, file, dryRun: values['dry-run'], yes: values.yes, allowRemovals: values['allow-removals'] };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
