import { readStack } from '@tandem/stack-client';

/** The database that a command works with, by a superuser's URL: the one that is given, else of the stack that runs here. */
export const databaseUrl = (given?: string): string => given ?? process.env.DATABASE_URL ?? readStack().postgres.url;
