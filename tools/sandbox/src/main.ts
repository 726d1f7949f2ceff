import { readConfig, SandboxConfigError } from './config';
import { startSandbox } from './server';

/** The exit code for an invalid configuration, with which a restart would fail again: EX_CONFIG of sysexits(3). */
const EXIT_CONFIGURATION = 78;

async function main(): Promise<void> {
  const sandbox = await startSandbox(readConfig(process.env));
  const stop = (): void => void sandbox.close().then(() => process.exit(0));
  // The IPC channel closes when tools/stack/runner.mjs is killed. Nothing else would then end this process.
  for (const event of ['SIGINT', 'SIGTERM', 'disconnect']) process.once(event, stop);
  if (process.send && !process.connected) return stop();
  if (process.send) process.send({ ready: true, url: sandbox.url });
  else console.log(`sandbox: ${sandbox.url}`);
}

main().catch((error: unknown) => {
  const hint = (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? ' (set SANDBOX_PORT to another port)' : '';
  console.error(error instanceof Error ? `${error.message}${hint}` : error);
  process.exit(error instanceof SandboxConfigError ? EXIT_CONFIGURATION : 1);
});
