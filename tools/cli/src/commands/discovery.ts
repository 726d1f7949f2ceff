import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { APPS } from '../apps';
import { inHome, inRepository, readStack } from '@tandem/stack-client';
import type { Commands } from './options';

const APP = 'discovery';

/** `tandem discovery`: imports and exports the catalog of VPN locations as a file, by the program apps/discovery/src/catalog-command.ts. */
export const discoveryCommands = (parser: Commands): Commands =>
  parser.command('discovery', 'The catalog of VPN locations, as a file: import, export', (group) =>
    group
      .command(
        'import <file>',
        'Replace the catalog with the file, all or nothing; shows the changes and asks first',
        (command) =>
          command
            .positional('file', { type: 'string', demandOption: true })
            .option('dry-run', { type: 'boolean', describe: 'Only show the changes' })
            .option('yes', { type: 'boolean', describe: 'Do not ask; required when there is no terminal' })
            .option('allow-removals', {
              type: 'boolean',
              describe:
                'Import even if more than half of the locations are removed, or the number of endpoints falls by more than half',
            }),
        ({ file, yes, ...options }) =>
          runCatalogCommand([
            'import',
            file,
            ...(options['dry-run'] ? ['--dry-run'] : []),
            ...(yes ? ['--yes'] : []),
            ...(options['allow-removals'] ? ['--allow-removals'] : []),
          ]),
      )
      .command(
        'export [file]',
        'Write the catalog to a file, or print it',
        (command) => command.positional('file', { type: 'string' }),
        ({ file }) => runCatalogCommand(['export', ...(file === undefined ? [] : [file])]),
      )
      .epilogue(
        'Works on the stack that npm start runs here. For another stack, set DATABASE_URL to the value that its discovery app has.',
      )
      .demandCommand(1, 'Name a command.')
      .strict(),
  );

/**
 * Runs apps/discovery/dist/catalog-command.js in the folder of the caller, because npm itself changes to the folder of
 * the repository.
 *
 * @param args the arguments of the program; file names are relative to the folder of the caller
 */
async function runCatalogCommand(args: readonly string[]): Promise<void> {
  const program = inRepository('apps/discovery/dist/catalog-command.js');
  const child = spawn(process.execPath, [program, ...args], {
    cwd: path.resolve(process.env.INIT_CWD ?? '.'),
    env: { ...process.env, DATABASE_URL: process.env.DATABASE_URL ?? discoveryDatabase() },
    stdio: 'inherit',
  });
  process.exitCode = await new Promise<number>((ended) => child.once('exit', (code) => ended(code ?? 1)));
}

/** Returns the URL of the database of the stack that runs here, with the role and password of discovery. */
function discoveryDatabase(): string {
  const url = new URL(readStack().postgres.url);
  const role = APPS.find(({ name }) => name === APP)?.role ?? APP;
  url.username = role;
  url.password = readSecrets().rolePasswords?.[role] ?? '';
  return url.href;
}

function readSecrets(): { readonly rolePasswords?: Readonly<Record<string, string>> } {
  const file = inHome('secrets.json');
  if (!existsSync(file)) throw new Error(`there is no ${file}: npm start writes it`);
  return JSON.parse(readFileSync(file, 'utf8')) as { rolePasswords?: Record<string, string> };
}
