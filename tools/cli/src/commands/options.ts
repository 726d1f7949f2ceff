import type { Argv } from 'yargs';
import type { ApiOptions } from '../public-api';
import { UsageError } from '../usage.errors';

/** The commands, with the options that all of them have. */
export type Commands = Argv<{ json: boolean | undefined }>;

/** Commands that use a public API. */
export type ApiCommands = Argv<ApiOptions & { json: boolean | undefined }>;

/** The options of every list. */
export const PAGE = {
  cursor: { type: 'string', describe: 'The page after another one, which named it' },
  limit: { type: 'number', describe: 'Entries of a page' },
} as const;

export const ENVIRONMENT = {
  environment: { choices: ['live', 'test'] as const, describe: 'Default: live' },
} as const;

/** A positional argument that is text, also when it looks like a number. */
export const text = (describe: string) => ({ type: 'string', demandOption: true, describe }) as const;

/** A whole number in an option; undefined for one that is not given. @throws UsageError for any other text */
export function whole(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^-?\d+$/.test(value)) throw new UsageError(`--${name} must be a whole number, not "${value}"`);
  return Number(value);
}

/** An option whose value is a whole number: `whole` reads it. */
export const number = (describe: string) => ({ type: 'string', describe }) as const;

/** The parts of `a, b`. */
export const listOf = (value: string | undefined): string[] | undefined => value?.split(',').map((part) => part.trim());
