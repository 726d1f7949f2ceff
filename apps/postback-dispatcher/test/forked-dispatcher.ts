import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { forkApp, type TestDatabase } from '@tandem/testing';
import { environmentOf } from './dispatcher';

/** A dispatcher as a process of its own, to be killed. */
export async function startProcess(database: TestDatabase, overrides: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const env = environmentOf(database.urlFor('postback'), overrides);
  return (await forkApp(path.join(__dirname, 'dispatcher-process.ts'), env)).child;
}
