import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../../..');

/** What the commands need of `.tandem/stack.json`, which `npm start` writes. */
export interface Stack {
  readonly baseUrl: string;
  readonly apps: Readonly<Record<string, { readonly url: string }>>;
  readonly partners: { readonly manager: { readonly token: string } };
  readonly support: { readonly token: string };
  readonly operator: { readonly privateKey: string };
  readonly sandbox: { readonly issuer: string };
  readonly postgres: { readonly url: string };
}

/** A path of the folder that has the stack's data, logs and secrets. */
export const inHome = (...parts: string[]): string =>
  path.join(path.resolve(ROOT, process.env.TANDEM_DIR || '.tandem'), ...parts);

/** A path in the repository. */
export const inRepository = (...parts: string[]): string => path.join(ROOT, ...parts);

/** The stack that runs on this machine. @throws when none does */
export function readStack(): Stack {
  const file = inHome('stack.json');
  if (!existsSync(file)) throw new Error('no stack runs here: start one with npm start');
  return JSON.parse(readFileSync(file, 'utf8')) as Stack;
}

/** The database that a command works with, by a superuser's URL: the one that is given, else of the stack that runs here. */
export const databaseUrl = (given?: string): string => given ?? process.env.DATABASE_URL ?? readStack().postgres.url;
