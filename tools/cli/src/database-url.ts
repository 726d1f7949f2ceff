import { readStack } from '@tandem/stack-client';

/** Returns the URL of the database for a command, as superuser: the given one, by default that of the stack that runs here. */
export const databaseUrl = (given?: string): string => given ?? process.env.DATABASE_URL ?? readStack().postgres.url;
