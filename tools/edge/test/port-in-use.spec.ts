import { forkSource, JsonServer } from '@tandem/testing';
import { once } from 'node:events';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { variableOf } from '../../../apps/apps';
import { PUBLIC_APPS } from '../src/config';

it('names the variable with the port of the edge when the port is in use', async () => {
  const other = await JsonServer.start();
  const upstreams = Object.fromEntries(PUBLIC_APPS.map(({ name }) => [variableOf(name, 'URL'), other.url]));
  const { port } = new URL(other.url);
  const edge = forkSource(
    path.join(__dirname, '../src/main.ts'),
    { ...upstreams, EDGE_PORT: port },
    { stderr: 'pipe' },
  );
  try {
    const [err, [code]] = await Promise.all([text(edge.stderr as Readable), once(edge, 'exit')]);
    expect([code, err]).toEqual([1, expect.stringMatching(/EADDRINUSE.*\(set EDGE_PORT to another port\)\n$/)]);
  } finally {
    edge.kill('SIGKILL');
    await other.stop();
  }
}, 30_000);
