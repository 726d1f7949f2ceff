import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { eventually } from '@tandem/testing';
import { NetworkLink } from '../src/replicas/network-link';

/**
 * How long a test waits before it concludes that no data arrives. In the test of a cut link, the data arrives when the cut has ended, which proves
 * that it was sent.
 */
const QUIET_MS = 200;

describe('a network link', () => {
  let echo: Server;
  let link: NetworkLink;
  let socket: Socket;
  let received: string;

  const portOf = (server: Server): number => (server.address() as AddressInfo).port;
  const startEcho = async (prefix = ''): Promise<Server> => {
    const server = createServer((client) => {
      client.on('data', (chunk) => client.write(prefix + String(chunk))).on('end', () => client.end());
      client.on('error', () => undefined);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return server;
  };
  const open = (): Socket => {
    const client = connect(link.port, '127.0.0.1');
    client.on('error', () => undefined);
    return client;
  };
  const quiet = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, QUIET_MS));

  beforeEach(async () => {
    echo = await startEcho();
    link = await NetworkLink.open(portOf(echo));
    socket = open();
    received = '';
    socket.on('data', (chunk) => (received += String(chunk)));
    socket.write('one');
    await eventually(() => expect(received).toBe('one'));
  });
  afterEach(() => {
    socket.destroy();
    link.close();
    echo.close();
  });

  it('returns the URL of the server with the port of the link', () => {
    expect(link.urlFor('postgres://role:secret@10.0.0.1:5432/tandem')).toBe(
      `postgres://role:secret@127.0.0.1:${link.port}/tandem`,
    );
  });

  it('passes on the data of both sides, and the end of the connection', async () => {
    socket.end('two');
    await once(socket, 'end');
    expect(received).toBe('onetwo');
  });

  it('holds back the data of old and new connections while it is cut, and passes the data on afterwards', async () => {
    link.cut();
    const second = open();
    let late = '';
    second.on('data', (chunk) => (late += String(chunk)));
    socket.write('two');
    second.write('three');
    await once(second, 'connect');
    await quiet();
    expect([received, late]).toEqual(['one', '']);
    link.restore();
    await eventually(() => expect([received, late]).toEqual(['onetwo', 'three']));
    second.destroy();
  });

  it('passes on delayed data before data that is sent after the delay has ended', async () => {
    link.slow(QUIET_MS);
    const sentAt = Date.now();
    socket.write('two');
    await quiet();
    link.restore();
    socket.write('three');
    await eventually(() => expect(received).toBe('onetwothree'));
    expect(Date.now() - sentAt).toBeGreaterThanOrEqual(QUIET_MS);
  });

  it('resets open connections and accepts new ones', async () => {
    const error = once(socket, 'error');
    link.reset();
    expect(await error).toEqual([expect.objectContaining({ code: 'ECONNRESET' })]);
    const second = open();
    second.write('again');
    expect(String(await once(second, 'data'))).toBe('again');
    second.destroy();
  });

  it('closes open and new connections while it refuses, and accepts connections afterwards', async () => {
    const closed = (client: Socket) => new Promise((resolve) => client.once('close', resolve));
    const first = closed(socket);
    link.refuse();
    await first;
    await closed(open());
    link.restore();
    const third = open();
    third.write('back');
    expect(String(await once(third, 'data'))).toBe('back');
    third.destroy();
  });

  it('neither answers nor closes the client side of an abandoned connection', async () => {
    let ended = false;
    socket.on('close', () => (ended = true));
    link.abandon();
    socket.write('two');
    await quiet();
    expect([received, ended]).toEqual(['one', false]);
    const second = open();
    second.write('new');
    expect(String(await once(second, 'data'))).toBe('new');
    second.destroy();
  });

  it('sends new connections to the server that it was retargeted to', async () => {
    const other = await startEcho('other: ');
    link.retarget(portOf(other));
    const second = open();
    second.write('hello');
    expect(String(await once(second, 'data'))).toBe('other: hello');
    socket.write('two');
    await eventually(() => expect(received).toBe('onetwo'));
    second.destroy();
    other.close();
  });
});
