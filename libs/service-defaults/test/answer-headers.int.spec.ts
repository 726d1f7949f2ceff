import { once } from 'node:events';
import { connect } from 'node:net';
import { SampleApp } from './fixture/sample-app';

describe('the headers of an answer', () => {
  let app: SampleApp;
  beforeAll(async () => {
    app = await SampleApp.start();
  });
  afterAll(() => app.running.close());

  const GUARDED = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };

  it.each(['/things/1', '/things/bug', '/things/%zz', '/nothing', '/livez', '/metrics'])(
    'to %s include nosniff and no-store',
    async (path) => {
      expect((await app.call(path)).headers).toMatchObject(GUARDED);
    },
  );

  it('to an unreadable request include nosniff and no-store', async () => {
    const socket = connect(Number(new URL(app.running.url).port), '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => (answer += String(chunk)));
    socket.write('GET / HTTP/1.1\r\nbad header\r\n\r\n');
    await once(socket, 'close');
    for (const [name, value] of Object.entries(GUARDED)) expect(answer).toContain(`\r\n${name}: ${value}\r\n`);
  });
});
