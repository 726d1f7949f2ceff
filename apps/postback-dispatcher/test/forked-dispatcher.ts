import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { forkApp, type TestDatabase } from '@tandem/testing';
import { environmentOf } from './dispatcher';

/** Starts postback-dispatcher in a separate process, which tests can kill. */
export async function startProcess(database: TestDatabase, overrides: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const env = environmentOf(database.urlFor('postback'), overrides);
  return (await forkApp(path.join(__dirname, 'dispatcher-process.ts'), env)).child;
}
