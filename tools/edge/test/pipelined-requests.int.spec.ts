import proxy from '@fastify/http-proxy';
import { eventually } from '@tandem/testing';
import fastify, { type FastifyInstance } from 'fastify';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { BodyBuffer, bufferBodies } from '../src/body-buffer';
import { endPipelinedResponses } from '../src/pipelined-responses';

const CAPACITY = 4_000;
/** More bytes than the streams between an app and a client can hold. */
const LONG = 'x'.repeat(8_000_000);

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

describe('the disconnect of a client whose requests wait behind an unanswered one', () => {
  let upstream: Server;
  let edge: FastifyInstance;
  let buffer: BodyBuffer;
  /** The unanswered requests that the app has received. */
  let open: ServerResponse[];

  beforeEach(async () => {
    open = [];
    upstream = createServer((request, response) => {
      request.resume().once('end', () => open.push(response));
    }).listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    buffer = new BodyBuffer(CAPACITY);
    edge = fastify();
    endPipelinedResponses(edge);
    await edge.register(async (scope) => {
      bufferBodies(scope, buffer, CAPACITY);
      scope.removeAllContentTypeParsers();
      const undici = { connections: 4, keepAliveTimeout: 100, keepAliveMaxTimeout: 100 };
      await scope.register(proxy, { upstream: `http://127.0.0.1:${portOf(upstream)}`, undici, destroyAgent: true });
    });
    await edge.listen({ host: '127.0.0.1', port: 0 });
  });
  afterEach(async () => {
    upstream.close().closeAllConnections();
    await edge.close();
  });

  /** Sends four requests on one connection, each with a body of 1,000 bytes, and waits until the app has received them. */
  const sendFour = async (): Promise<Socket> => {
    const socket = connect(portOf(edge.server), '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n${'x'.repeat(1_000)}`.repeat(4));
    await eventually(() => expect(open).toHaveLength(4));
    return socket;
  };
  const connections = () => new Promise((resolve) => upstream.getConnections((_error, count) => resolve(count)));

  it('frees the buffer space of the bodies of these requests', async () => {
    const socket = await sendFour();
    expect(buffer.take(1)).toBe(false);
    socket.resetAndDestroy();
    await eventually(() => expect(buffer.take(CAPACITY)).toBe(true), { timeoutMs: 3_000 });
  });

  it('frees the connections to the app when the app answers later', async () => {
    const socket = await sendFour();
    socket.resetAndDestroy();
    // The app answers after the edge has noticed the disconnect.
    await new Promise((resolve) => setTimeout(resolve, 200));
    open.forEach((response) => response.end(LONG));
    await eventually(async () => expect(await connections()).toBe(0), { timeoutMs: 5_000 });
  });

  it('frees the connections to the app when the app has begun to answer', async () => {
    const socket = await sendFour();
    open.slice(1).forEach((response) => response.end(LONG));
    // The edge reads the answers until its buffers are full.
    await new Promise((resolve) => setTimeout(resolve, 500));
    socket.resetAndDestroy();
    open[0]?.end('{}');
    await eventually(async () => expect(await connections()).toBe(0), { timeoutMs: 5_000 });
  });
});
