import { Controller, type DynamicModule, Get, Module } from '@nestjs/common';
import { eventually } from '@tandem/testing';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { defineErrors, PROBLEM_FORMAT } from '@tandem/http-api';
import { BaseConfig, bootstrap, defineApp, type RunningApp, ServiceModule } from '../src';

/** Answers the latest request to `/slow`. */
let answerSlow: () => void;
let slowRequests = 0;

@Controller()
class SampleController {
  @Get('quick')
  quick(): object {
    return { quick: true };
  }

  @Get('slow')
  async slow(): Promise<object> {
    slowRequests++;
    await new Promise<void>((resolve) => (answerSlow = resolve));
    return { slow: true };
  }
}

@Module({})
class SampleModule {
  static register(config: BaseConfig): DynamicModule {
    return { module: SampleModule, imports: [ServiceModule.register(config)], controllers: [SampleController] };
  }
}

const definition = defineApp({
  name: 'sample',
  config: BaseConfig,
  module: (config) => SampleModule.register(config),
  errors: defineErrors([]),
  errorFormat: PROBLEM_FORMAT,
  openapi: { title: 'Sample', description: 'Sample' },
});

interface Answer {
  readonly status: number | undefined;
  readonly connection: string | undefined;
}

describe('an app that stops', () => {
  let app: RunningApp;
  let agent: Agent;

  const start = async (delayMs = 0): Promise<void> => {
    app = await bootstrap(definition, { PORT: '0', LOG_LEVEL: 'silent', SHUTDOWN_DELAY_MS: String(delayMs) });
  };
  /** Sends a request on a kept-alive connection, as a load balancer does. */
  const get = async (path: string): Promise<Answer> => {
    const sent = request(`${app.url}/${path}`, { agent }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    return { status: response.statusCode, connection: response.headers.connection };
  };
  /** Sends a request that is not answered before `answerSlow()`; resolves when the app has received it. */
  const openSlow = async (): Promise<{ answer: Promise<Answer> }> => {
    const before = slowRequests;
    const answer = get('slow');
    await eventually(() => expect(slowRequests).toBe(before + 1));
    return { answer };
  };

  beforeEach(() => {
    agent = new Agent({ keepAlive: true });
  });
  afterEach(() => agent.destroy());

  it('is not ready, keeps serving for SHUTDOWN_DELAY_MS, and closes each connection with its answer [replicas.stop]', async () => {
    await start(1_000);
    expect(await get('quick')).toEqual({ status: 200, connection: 'keep-alive' });
    const closing = app.close();
    expect(await get('readyz')).toEqual({ status: 503, connection: 'close' });
    expect(await get('quick')).toEqual({ status: 200, connection: 'close' });
    // This request uses a new connection.
    expect(await get('quick')).toEqual({ status: 200, connection: 'close' });
    await closing;
    await expect(get('quick')).rejects.toThrow('ECONNREFUSED');
  });

  it('answers requests in flight, closes their connections, and then ends [replicas.stop]', async () => {
    await start();
    const { answer } = await openSlow();
    const closing = app.close();
    await eventually(() => expect(get('quick')).rejects.toThrow('ECONNREFUSED'));
    answerSlow();
    expect(await answer).toEqual({ status: 200, connection: 'close' });
    await closing;
  });

  it('answers a request in flight with the header connection: close, and then ends its connection', async () => {
    await start();
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    const ask = (path: string): boolean => socket.write(`GET /${path} HTTP/1.1\r\nHost: app\r\n\r\n`);
    const before = slowRequests;
    ask('slow');
    await eventually(() => expect(slowRequests).toBe(before + 1));
    const closing = app.close();
    await eventually(() => expect(get('quick')).rejects.toThrow('ECONNREFUSED'));
    answerSlow();
    await once(socket, 'close');
    await closing;
    expect(text).toMatch(/^HTTP\/1.1 200 OK/);
    expect(text).toMatch(/\r\nconnection: close\r\n/i);
  });

  it('serves a request whose first bytes arrived before the stop', async () => {
    await start();
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.write('GET /quick HTTP/1.1\r\n');
    // Only the answer to a later request shows that the app has read the first bytes.
    await get('quick');
    const closing = app.close();
    await eventually(() => expect(get('quick')).rejects.toThrow('ECONNREFUSED'));
    socket.write('host: app\r\n\r\n');
    await Promise.all([once(socket, 'close'), closing]);
    expect(text).toMatch(/^HTTP\/1.1 200 OK/);
  });

  it('does not wait for a connection on which no request was ever sent', async () => {
    await start();
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    await once(socket, 'connect');
    await Promise.all([once(socket, 'close'), app.close()]);
  });
});
