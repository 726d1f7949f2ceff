import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { TestDatabase } from '@tandem/testing';
import { environmentOf } from './dispatcher';

/** A dispatcher as a process of its own, to be killed. */
export async function startProcess(database: TestDatabase, overrides: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = fork(path.join(__dirname, 'dispatcher-process.ts'), [], {
    execArgv: ['--conditions=@tandem/source', '--require', '@swc-node/register'],
    env: {
      ...process.env,
      SWC_NODE_PROJECT: path.resolve(__dirname, '../../../tsconfig.base.json'),
      ...environmentOf(database.urlFor('postback'), overrides),
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('it did not start'))),
  ]);
  return child;
}
