import { eventually, forkApp } from '@tandem/testing';
import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import { variableOf } from '../../../apps/apps';
import { PUBLIC_APPS } from '../src/config';
import { openApp } from './edge-under-test';

const REQUEST = 'POST /admin/partners HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n';

describe('a client that disconnects', () => {
  it.each([
    ['in the middle of its body', `${REQUEST}{`, false],
    ['before its answer', `${REQUEST}{    }`, true],
  ])('%s is not logged as an error', async (_, text, isComplete) => {
    const app = await openApp('partner-gateway');
    const answers: (() => void)[] = [];
    app.answer.handle = (_request, response) => void answers.push(() => response.end('{}'));
    const upstreams = Object.fromEntries(PUBLIC_APPS.map(({ name }) => [variableOf(name, 'URL'), app.url]));
    const edge = await forkApp(
      path.resolve(__dirname, '../src/main.ts'),
      { ...upstreams, EDGE_PORT: '0' },
      { stdout: 'pipe' },
    );
    let log = '';
    edge.child.stdout?.on('data', (chunk) => (log += String(chunk)));
    const socket = connect(Number(new URL(edge.url).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(text);
    if (isComplete) await eventually(() => expect(answers).toHaveLength(1));
    else await new Promise((resolve) => setTimeout(resolve, 100));
    socket.resetAndDestroy();
    answers.forEach((answer) => answer());
    // Answers to later requests show that the edge has noticed the disconnect.
    app.answer.handle = undefined;
    for (let count = 0; count < 5; count++) expect((await fetch(`${edge.url}/admin/partners`)).status).toBe(200);
    edge.child.kill('SIGTERM');
    await once(edge.child, 'exit');
    await app.close();
    expect(log).not.toContain('"level":50');
  });
});
