import { readStack } from '@tandem/stack-client';

/** Returns the superuser's database URL for a command: the given URL, or DATABASE_URL, or that of the stack that runs here. */
export const databaseUrl = (given?: string): string => given ?? process.env.DATABASE_URL ?? readStack().postgres.url;
