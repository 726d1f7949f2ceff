import { type ChildProcess, fork, type ForkOptions } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** An app in its own process, which a test can stop or kill. The app exits when its parent process has exited. */
export interface AppProcess {
  readonly child: ChildProcess;
  /** The URL at which the app listens. */
  readonly url: string;
}

/**
 * Forks a TypeScript file. The file's imports of libs resolve to the sources of the libs, so nothing needs to be built.
 *
 * @param file the absolute path
 * @param env in addition to this process's own environment
 * @param options `stdout` and `stderr`: `pipe` makes the stream readable for the caller; `args`: the program's arguments
 */
export function forkSource(
  file: string,
  env: NodeJS.ProcessEnv,
  {
    stdout = 'ignore',
    stderr = 'inherit',
    args = [],
  }: { stdout?: 'ignore' | 'pipe'; stderr?: 'inherit' | 'pipe'; args?: readonly string[] } = {},
): ChildProcess {
  const options: ForkOptions = {
    execArgv: ['--conditions=@tandem/source', '--require', '@swc-node/register'],
    env: { ...process.env, SWC_NODE_PROJECT: path.resolve(__dirname, '../../../tsconfig.base.json'), ...env },
    stdio: ['ignore', stdout, stderr, 'ipc'],
  };
  return fork(file, args, options);
}

/**
 * Forks a file that runs an app (`run(app)` of service-defaults), and resolves when the app is ready.
 *
 * @throws Error when the process ends before the app is ready
 */
export async function forkApp(...fork: Parameters<typeof forkSource>): Promise<AppProcess> {
  const child = forkSource(...fork);
  const [{ url }] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error(`${path.basename(fork[0])} ended before it was ready`))),
  ])) as [{ url: string }];
  return { child, url };
}
