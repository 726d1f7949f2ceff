import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { forkSource } from '@tandem/testing';

const PROGRAM = path.join(__dirname, '../src/main.ts');

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Starts a command without waiting for its end. */
export const startCli = (args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess =>
  forkSource(PROGRAM, env, { stdout: 'pipe', stderr: 'pipe', args });

/** Runs a command to its end. */
export async function runCli(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  const child = startCli(args, env);
  let out = '';
  let err = '';
  child.stdout?.on('data', (text) => (out += text));
  child.stderr?.on('data', (text) => (err += text));
  const [code] = (await once(child, 'close')) as [number];
  return { code, out, err };
}
