import { Body, Controller, type DynamicModule, Get, Injectable, Module, Post } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { once } from 'node:events';
import { connect } from 'node:net';
import { request } from 'undici';
import { type Access, defineErrors, Endpoint, PROBLEM_FORMAT, type RequestAuthenticator } from '@tandem/http-api';
import { BaseConfig, bootstrap, defineApp, type RunningApp, ServiceModule } from '../src';

class StrangerError extends Error {
  readonly code = 'unauthorized';
}
class UnsignedError extends Error {
  readonly code = 'unsigned';
}

/** Identifies callers by the header `x-caller`. The header `x-signature`, if present, must be the length of the body in bytes. */
@Injectable()
class CallerAuthenticator implements RequestAuthenticator<{ name: string }> {
  authenticate({ headers }: FastifyRequest, reply: FastifyReply, { name }: { name: string }): void {
    if (headers['x-caller'] !== name) throw new StrangerError('Who are you?');
    reply.header('x-known', name);
  }

  async verifyBody({ headers, rawBody }: FastifyRequest & { rawBody?: Buffer }): Promise<void> {
    const signature = headers['x-signature'];
    if (signature !== undefined && Number(signature) !== rawBody?.length)
      throw new UnsignedError('The signature is wrong');
  }
}

class AbsentAuthenticator implements RequestAuthenticator {
  authenticate(): void {
    return undefined;
  }
}

const ANN: Access = { by: CallerAuthenticator, options: { name: 'ann' }, token: 'bearer', errors: [] };

@Controller('doors')
class DoorController {
  @Post('ann')
  @Endpoint({ access: ANN, summary: 'Enter', answer: { status: 201 } })
  enter(@Body() body: unknown): unknown {
    return { body };
  }

  @Post('without-body')
  @Endpoint({ access: { ...ANN, ignoresBody: true }, summary: 'Enter', answer: { status: 201 } })
  enterWithoutBody(@Body() body: unknown): unknown {
    return { body };
  }

  @Get('absent')
  @Endpoint({ access: { by: AbsentAuthenticator, token: 'bearer', errors: [] }, summary: 'Enter', answer: {} })
  absent(): string {
    return 'in';
  }

  @Get('open')
  open(): string {
    return 'in';
  }
}

@Module({ controllers: [DoorController], providers: [CallerAuthenticator] })
class DoorModule {
  static register(config: BaseConfig): DynamicModule {
    return { module: DoorModule, imports: [ServiceModule.register(config)] };
  }
}

describe('an endpoint with an authenticator', () => {
  let app: RunningApp;

  beforeAll(async () => {
    app = await bootstrap(
      defineApp({
        name: 'doors',
        config: BaseConfig,
        module: DoorModule.register.bind(DoorModule),
        errors: defineErrors([
          [StrangerError, 401],
          [UnsignedError, 403],
        ]),
        errorFormat: PROBLEM_FORMAT,
        openapi: { title: 'Doors', description: 'Doors' },
      }),
      { PORT: '0', LOG_LEVEL: 'silent' },
    );
  });
  afterAll(() => app.close());

  const enter = (headers: Record<string, string>, body = '{"a":1}', door = 'ann') =>
    request(`${app.url}/doors/${door}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });

  it('admits only callers that the authenticator accepts with the options of the endpoint’s access', async () => {
    const { statusCode, headers, body } = await enter({ 'x-caller': 'ann' });
    expect({ statusCode, known: headers['x-known'] }).toEqual({ statusCode: 201, known: 'ann' });
    expect(await body.json()).toEqual({ body: { a: 1 } });
    expect((await enter({ 'x-caller': 'bob' })).statusCode).toBe(401);
  });

  it('answers 401 to an unauthenticated caller, even if the body never arrives', async () => {
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /doors/ann HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n`,
    );
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('reveals nothing about the body to an unauthenticated caller', async () => {
    expect((await enter({ 'x-caller': 'bob' }, '{"a":')).statusCode).toBe(401);
    expect((await enter({ 'x-caller': 'ann' }, '{"a":')).statusCode).toBe(400);
  });

  it('reads no body if its access ignores bodies', async () => {
    const { statusCode, body } = await enter({ 'x-caller': 'ann' }, '{"a":', 'without-body');
    expect({ statusCode, body: await body.json() }).toEqual({ statusCode: 201, body: {} });
  });

  it('passes the bytes of the body to the authenticator', async () => {
    expect((await enter({ 'x-caller': 'ann', 'x-signature': '7' })).statusCode).toBe(201);
    expect((await enter({ 'x-caller': 'ann', 'x-signature': '8' })).statusCode).toBe(403);
  });

  it('answers 500 when no module provides the authenticator', async () => {
    expect((await request(`${app.url}/doors/absent`)).statusCode).toBe(500);
  });

  it('does not authenticate the callers of other endpoints', async () => {
    expect((await request(`${app.url}/doors/open`)).statusCode).toBe(200);
  });
});
