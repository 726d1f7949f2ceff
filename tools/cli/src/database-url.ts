import { readStack } from '@tandem/stack-client';

/** Returns the superuser's URL of the database for a command: the given URL or, by default, the URL of the stack that runs here. */
export const databaseUrl = (given?: string): string => given ?? process.env.DATABASE_URL ?? readStack().postgres.url;
