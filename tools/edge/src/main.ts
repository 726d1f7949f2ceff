import { EdgeConfigError, readConfig } from './config';
import { startEdge } from './server';

/** EX_CONFIG of sysexits(3): a restart would fail in the same way. */
const EXIT_CONFIGURATION = 78;

async function main(): Promise<void> {
  const edge = await startEdge(readConfig(process.env));
  const stop = (): void => void edge.close().then(() => process.exit(0));
  // The IPC channel closes when tools/stack/runner.mjs is killed. Nothing else would then end this process.
  for (const event of ['SIGINT', 'SIGTERM', 'disconnect']) process.once(event, stop);
  if (process.send && !process.connected) return stop();
  if (process.send) process.send({ ready: true, url: edge.url });
  else console.log(`edge: ${edge.url}`);
}

main().catch((error: unknown) => {
  const hint = (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? ' (set EDGE_PORT to another port)' : '';
  console.error(error instanceof Error ? `${error.message}${hint}` : error);
  process.exit(error instanceof EdgeConfigError ? EXIT_CONFIGURATION : 1);
});
