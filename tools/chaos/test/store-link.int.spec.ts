import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { eventually } from '@tandem/testing';
import { StoreLink } from '../src/replicas/store-link';

describe('the network between a process and a store', () => {
  let echo: Server;
  let link: StoreLink;
  let socket: Socket;
  let received: string;

  const open = (): Socket => {
    const client = connect(Number(new URL(link.url).port), '127.0.0.1');
    received = '';
    client.setEncoding('utf8').on('data', (text: string) => (received += text));
    return client;
  };

  beforeEach(async () => {
    echo = createServer((client) => void client.pipe(client).on('error', () => undefined));
    await once(echo.listen(0, '127.0.0.1'), 'listening');
    link = await StoreLink.open(`postgres://role:secret@127.0.0.1:${(echo.address() as AddressInfo).port}/tandem`);
    socket = open();
  });
  afterEach(() => {
    socket.destroy();
    link.close();
    echo.close();
  });

  it('has the URL of the store with another port', () => {
    expect(link.url).toMatch(/^postgres:\/\/role:secret@127\.0\.0\.1:\d+\/tandem$/);
  });

  it('passes on what both sides send, and the end of the connection', async () => {
    socket.write('one');
    await eventually(() => expect(received).toBe('one'));
    socket.end('two');
    await once(socket, 'end');
    expect(received).toBe('onetwo');
  });

  it('keeps what is sent on old and new connections while it is cut, and passes it on afterwards', async () => {
    socket.write('one');
    await eventually(() => expect(received).toBe('one'));
    link.cut();
    const [first, second] = [socket, connect(Number(new URL(link.url).port), '127.0.0.1')];
    let late = '';
    second.on('data', (chunk) => (late += String(chunk)));
    first.write('two');
    second.write('three');
    await once(second, 'connect');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect([received, late]).toEqual(['one', '']);
    link.mend();
    await eventually(() => expect([received, late]).toEqual(['onetwo', 'three']));
    second.destroy();
  });
});
