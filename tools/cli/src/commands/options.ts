import type { Argv } from 'yargs';
import type { ApiOptions } from '../public-api';
import { UsageError } from '../usage.errors';

/** The parser of commands, with the option that every command has. */
export type Commands = Argv<{ json: boolean | undefined }>;

/** The parser of the commands that use a public API. */
export type ApiCommands = Argv<ApiOptions & { json: boolean | undefined }>;

/** The options of a list that is returned in pages. */
export const PAGE = {
  cursor: { type: 'string', describe: 'The cursor of the next page, from the previous page' },
  limit: { type: 'number', describe: 'Entries per page' },
} as const;

export const ENVIRONMENT = {
  environment: { choices: ['live', 'test'] as const, describe: 'Default: live' },
} as const;

/** Returns the definition of a positional argument that stays a string, even when it looks like a number. */
export const text = (describe: string) => ({ type: 'string', demandOption: true, describe }) as const;

/** Reads a whole number from an option; undefined when the option is not given. @throws UsageError when it is not a whole number */
export function whole(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^-?\d+$/.test(value)) throw new UsageError(`--${name} must be a whole number, not "${value}"`);
  return Number(value);
}

/** Returns an option for a whole number. yargs keeps the value as text, and `whole` reads it. */
export const number = (describe: string) => ({ type: 'string', describe }) as const;

/** Splits `a, b` into `a` and `b`. */
export const listOf = (value: string | undefined): string[] | undefined => value?.split(',').map((part) => part.trim());
