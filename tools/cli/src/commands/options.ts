import type { Argv } from 'yargs';
import type { ApiOptions } from '../public-api';
import { UsageError } from '../usage.errors';

/** The commands, with the options that all of them have. */
export type Commands = Argv<{ json: boolean | undefined }>;

/** Commands that use a public API. */
export type ApiCommands = Argv<ApiOptions & { json: boolean | undefined }>;

/** The options of every list. */
export const PAGE = {
  cursor: { type: 'string', describe: 'The cursor of the next page, from the previous page' },
  limit: { type: 'number', describe: 'Entries per page' },
} as const;

export const ENVIRONMENT = {
  environment: { choices: ['live', 'test'] as const, describe: 'Default: live' },
} as const;

/** Returns a positional argument that is a string, even when it looks like a number. */
export const text = (describe: string) => ({ type: 'string', demandOption: true, describe }) as const;

/** Reads a whole number from an option; undefined when it is not given. @throws UsageError for any other value */
export function whole(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^-?\d+$/.test(value)) throw new UsageError(`--${name} must be a whole number, not "${value}"`);
  return Number(value);
}

/** Returns an option whose value is a whole number, which `whole` reads. */
export const number = (describe: string) => ({ type: 'string', describe }) as const;

/** Splits `a, b` into its parts. */
export const listOf = (value: string | undefined): string[] | undefined => value?.split(',').map((part) => part.trim());
