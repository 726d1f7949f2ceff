import {
  Body,
  Controller,
  type DynamicModule,
  Get,
  HttpCode,
  Module,
  Param,
  Post,
  Put,
  Query,
  UseGuards,
} from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsInt, IsString, Length, Min, ValidateNested } from 'class-validator';
import { DatabaseClient } from '@tandem/database';
import { eventually } from '@tandem/testing';
import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { request } from 'undici';
import {
  BaseConfig,
  bootstrap,
  defineApp,
  defineErrors,
  PLAIN_FORMAT,
  PROBLEM_FORMAT,
  type RunningApp,
  ServiceModule,
  ServiceUnavailableError,
} from '../src';

class TeapotError extends Error {
  readonly code = 'teapot';
}
class StrangerError extends Error {
  readonly code = 'unauthorized';
}
class Inner {
  @IsString()
  @Length(1, 10)
  zip!: string;
}
class ThingDto {
  @IsInt()
  @Min(1)
  size!: number;

  @ValidateNested()
  @Type(() => Inner)
  inner!: Inner;
}
class ThingQuery {
  @IsString()
  name!: string;
}

@Controller('things')
class ThingController {
  @Get(':id')
  async get(@Param('id') id: string): Promise<object> {
    if (id === 'teapot') throw new TeapotError('short and stout');
    if (id === 'bug') throw new Error('select secret from user where ssn = 123');
    if (id === 'away') throw new ServiceUnavailableError('The dispatcher is away.', 7);
    if (id === 'outage') await new DatabaseClient('postgres://nobody:x@127.0.0.1:1/none').connect();
    if (id === 'vendor') await request('http://127.0.0.1:1');
    if (id === 'timeout') throw Object.assign(new Error('canceling statement "x"'), { code: '57014' });
    if (id === 'deadlock') throw Object.assign(new Error('deadlock in "x"'), { code: '40P01' });
    return { id };
  }
  @Put(':id')
  put(): object {
    return {};
  }
  @Post()
  @HttpCode(201)
  post(@Body() body: ThingDto): object {
    return { size: body.size, isDto: body instanceof ThingDto };
  }
  @Get()
  list(@Query() query: ThingQuery): object {
    return query;
  }
  @Post('guarded')
  @UseGuards({
    canActivate() {
      throw new StrangerError('who are you');
    },
  })
  guarded(@Body() body: ThingDto): object {
    return body;
  }
  @Post('bodiless')
  @HttpCode(200)
  bodiless(): object {
    return {};
  }
}

@Module({})
class SampleModule {
  static register(config: BaseConfig): DynamicModule {
    return { module: SampleModule, imports: [ServiceModule.register(config)], controllers: [ThingController] };
  }
}

const definition = defineApp({
  name: 'sample',
  config: BaseConfig,
  module: SampleModule.register.bind(SampleModule),
  errors: defineErrors([
    [TeapotError, 418, { headers: { 'X-Pot': 'tea' } }],
    [StrangerError, 401],
  ]),
  errorFormat: PROBLEM_FORMAT,
  bodyLimitBytes: 1_000,
  openapi: { title: 'Sample', description: 'Sample' },
});
const env = { PORT: '0', LOG_LEVEL: 'silent', DATABASE_URL: 'postgres://nobody@localhost/none' };

describe('an app with the service defaults', () => {
  let app: RunningApp;
  const call = async (path: string, options: Parameters<typeof request>[1] = {}) => {
    const answer = await request(`${app.url}${path}`, options);
    const text = await answer.body.text();
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text,
      json: () => JSON.parse(text) as Record<string, unknown>,
    };
  };
  const post = (body: string | Buffer, contentType = 'application/json') =>
    call('/things', { method: 'POST', body, headers: { 'content-type': contentType } });

  beforeAll(async () => {
    app = await bootstrap(definition, env);
  });
  afterAll(() => app.close());

  it('answers a mapped error as problem+json with its code, headers and the request id [errors.problem-json]', async () => {
    const answer = await call('/things/teapot?secret=1', { headers: { 'x-request-id': 'req-1' } });
    expect(answer.status).toBe(418);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(answer.headers['x-pot']).toBe('tea');
    expect(answer.headers['x-request-id']).toBe('req-1');
    expect(answer.json()).toEqual({
      type: 'urn:tandem:problem:teapot',
      title: "I'm a Teapot",
      status: 418,
      detail: 'short and stout',
      instance: '/things/teapot',
      code: 'teapot',
      requestId: 'req-1',
    });
  });

  it('answers an unexpected error 500 without any detail of it [errors.internal]', async () => {
    const answer = await call('/things/bug');
    expect(answer.json()).toMatchObject({ status: 500, code: 'internal' });
    expect(answer.text).not.toMatch(/select|ssn/);
  });

  it('answers 503 with Retry-After when a dependency is down', async () => {
    const away = await call('/things/away');
    expect([away.status, away.headers['retry-after'], away.json()['code']]).toEqual([503, '7', 'service_unavailable']);
  });

  it.each(['outage', 'timeout', 'deadlock'])('answers 503 with Retry-After for a %s of its database', async (kind) => {
    const answer = await call(`/things/${kind}`);
    expect([answer.status, answer.headers['retry-after'], answer.json()['code']]).toEqual([
      503,
      '5',
      'service_unavailable',
    ]);
    expect(answer.text).not.toMatch(/127\.0\.0\.1|"x/);
  });

  it('answers 500 when another server than its database refuses a connection', async () => {
    expect((await call('/things/vendor')).status).toBe(500);
  });

  it('logs a client that goes away in the middle of its body as an aborted request, and not as an error', async () => {
    const lines: object[] = [];
    const write = (line: object): void => void lines.push(line);
    app.nest.useLogger({ log: write, warn: write, error: write });
    const { port } = new URL(app.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      'POST /things HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{"size"',
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    socket.resetAndDestroy();
    await eventually(() =>
      expect(lines).toEqual([{ msg: 'request.refused', status: 499, code: 'client_closed_request' }]),
    );
  });

  it('makes a request id when the given one could harm a log', async () => {
    const answer = await call('/things/1', { headers: { 'x-request-id': 'a b"c' } });
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('names every wrong field, nested ones with their path [errors.fields]', async () => {
    const answer = await post('{"size":0,"inner":{}}');
    expect(answer.status).toBe(422);
    expect(answer.json()).toMatchObject({
      code: 'validation_failed',
      errors: [{ field: 'size' }, { field: 'inner.zip' }],
    });
  });

  it('names the first rule that a value breaks: a text is reported as not an integer, and not as out of range', async () => {
    const answer = await post('{"size":"5","inner":{"zip":5}}');
    expect(answer.json()['errors']).toEqual([
      { field: 'size', message: 'size must be an integer number' },
      { field: 'inner.zip', message: 'zip must be a string' },
    ]);
  });

  it('gives handlers instances of their DTO', async () => {
    const answer = await post('{"size":3,"inner":{"zip":"1"}}');
    expect([answer.status, answer.json()]).toEqual([201, { size: 3, isDto: true }]);
  });

  it.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf', 'then', 'prototype'])(
    'ignores an unknown field with the name %s, wherever it is',
    async (name) => {
      const foreign = { [name]: { [name]: 1 } };
      const inner = { zip: '1', ...foreign, unknown: [foreign] };
      const answer = await post(JSON.stringify({ size: 3, inner, unknown: { deep: foreign }, ...foreign }));
      expect([answer.status, answer.json()]).toEqual([201, { size: 3, isDto: true }]);
      const list = await call(`/things?name=n&${name}=1&${name}[${name}]=1`);
      expect([list.status, list.json()['name']]).toEqual([200, 'n']);
    },
  );

  it.each([
    ['broken JSON', '{"size":'],
    ['an array', '[]'],
    ['a text', '"x"'],
    ['null', 'null'],
    ['a __proto__ key', '{"__proto__":{"size":1}}'],
    ['brackets in brackets', `{"size":1,"inner":${'['.repeat(400)}${']'.repeat(400)}}`],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])('answers %s 400 malformed_request [errors.malformed-request]', async (_, body) => {
    const answer = await post(body);
    expect([answer.status, answer.json()['code']]).toEqual([400, 'malformed_request']);
  });

  it('asks who calls before it complains about the body', async () => {
    const answer = await call('/things/guarded', {
      method: 'POST',
      body: '{"size":',
      headers: { 'content-type': 'application/json' },
    });
    expect([answer.status, answer.json()['code']]).toEqual([401, 'unauthorized']);
  });

  it('refuses broken JSON also where the handler looks at no body', async () => {
    const options = { method: 'POST', headers: { 'content-type': 'application/json' } } as const;
    expect((await call('/things/bodiless', { ...options, body: '{"size":' })).status).toBe(400);
    expect((await call('/things/bodiless', { ...options, body: '{}' })).status).toBe(200);
  });

  it('treats an empty body as an empty object', async () => {
    expect((await post('')).status).toBe(422);
  });

  it('answers a body over the limit 413, and one of another kind 415 [errors.payload-too-large]', async () => {
    const large = await post(JSON.stringify({ size: 'x'.repeat(1_000) }));
    expect([large.status, large.json()['code']]).toEqual([413, 'payload_too_large']);
    for (const contentType of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
      const other = await post('size=1', contentType);
      expect([other.status, other.json()['code']]).toEqual([415, 'unsupported_media_type']);
    }
  });

  it('answers a compressed body 415', async () => {
    const body = gzipSync('{"size":3,"inner":{"zip":"1"}}');
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const answer = await call('/things', { method: 'POST', body, headers });
    expect([answer.status, answer.json()['code']]).toEqual([415, 'unsupported_media_type']);
    const plain = { ...headers, 'content-encoding': 'identity' };
    const accepted = await call('/things', { method: 'POST', body: '{"size":3,"inner":{"zip":"1"}}', headers: plain });
    expect(accepted.status).toBe(201);
  });

  /** Sends bytes as they are, and reads until the app closes the connection. */
  const exchange = async (text: string) => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    // A connection that is kept open must fail the test, not hang it.
    socket.setTimeout(2_000, () => socket.destroy());
    socket.write(text.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'));
    let answer = '';
    socket.on('data', (data) => (answer += String(data)));
    await once(socket, 'close');
    const [headers = '', body = ''] = answer.replaceAll('\r\n', '\n').split('\n\n');
    const problem = (body.startsWith('{') ? JSON.parse(body) : {}) as { requestId?: string };
    return { status: Number(headers.split(' ')[1]), headers, problem };
  };

  it.each([
    ['two Host headers', 'GET /things/1 HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n', 400, 'malformed_request'],
    ['no Host header', 'GET /things/1 HTTP/1.1\r\naccept: */*\r\n\r\n', 400, 'malformed_request'],
    ['no HTTP', 'hello\r\n\r\n', 400, 'malformed_request'],
    ['a broken header', 'GET /things/1 HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n', 400, 'malformed_request'],
    ['a long parameter', `GET /things/${'a'.repeat(600)} HTTP/1.1\r\nhost: x\r\n\r\n`, 414, 'uri_too_long'],
    ['a query of 20 kB', `GET /things?a=${'a'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 414, 'uri_too_long'],
    [
      '20 kB of headers',
      `GET /things HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    ['%zz in a path', 'GET /things/%zz HTTP/1.1\r\nhost: x\r\n\r\n', 400, 'malformed_request'],
  ])('answers %s as problem+json with a request id', async (_, text, status, code) => {
    const answer = await exchange(text);
    expect(answer).toMatchObject({ status, problem: { status, code, requestId: expect.any(String) } });
    expect(answer.headers).toMatch(/^content-type: application\/problem\+json/im);
    expect(answer.headers).toContain(`x-request-id: ${answer.problem.requestId}`);
  });

  it.each(['TRACE', 'QUERY', 'PROPFIND'])('answers %s 405 with Allow, whatever its body is', async (method) => {
    for (const body of ['', 'content-type: text/plain\r\ncontent-length: 2\r\n']) {
      const answer = await exchange(`${method} /things/1 HTTP/1.1\r\nhost: x\r\n${body}\r\n${body ? 'ab' : ''}`);
      expect(answer).toMatchObject({ status: 405, problem: { code: 'method_not_allowed' } });
      expect(answer.headers).toMatch(/^allow: GET, HEAD, PUT$/im);
    }
    expect(await exchange(`${method} /nothing HTTP/1.1\r\nhost: x\r\n\r\n`)).toMatchObject({ status: 404 });
  });

  it('tells a wrong method (405 with Allow) from an unknown path (404) [errors.not-found, errors.method-not-allowed]', async () => {
    const wrong = await call('/things/1', { method: 'DELETE' });
    expect([wrong.status, wrong.json()['code'], wrong.headers['allow']]).toEqual([
      405,
      'method_not_allowed',
      'GET, HEAD, PUT',
    ]);
    const unknown = await call('/nothing', { method: 'DELETE' });
    expect([unknown.status, unknown.json()['code']]).toEqual([404, 'not_found']);
  });

  it('answers a path that cannot be decoded in its own format', async () => {
    const answer = await call('/things/%zz', { headers: { 'x-request-id': 'req-2' } });
    expect([answer.status, answer.headers['x-request-id']]).toEqual([400, 'req-2']);
    expect(answer.headers['content-type']).toContain('application/problem+json');
  });

  it('serves health, metrics and docs', async () => {
    expect((await call('/livez')).status).toBe(200);
    expect((await call('/readyz')).status).toBe(200);
    expect((await call('/metrics')).text).toContain(
      'http_request_duration_seconds_count{method="GET",route="/things/:id",status="418"}',
    );
    const docs = await call('/docs/openapi.json');
    expect(Object.keys(docs.json()['paths'] as object)).toContain('/things/{id}');
    expect((await call('/docs')).text).toContain('swagger');
  });

  it('closes while a client holds an idle keep-alive connection', async () => {
    const other = await bootstrap({ ...definition, errorFormat: PLAIN_FORMAT }, env);
    const answer = await request(`${other.url}/nothing`);
    expect(await answer.body.json()).toEqual({ error: 'There is nothing at this path.' });
    await other.close();
    await expect(request(`${other.url}/livez`)).rejects.toThrow('ECONNREFUSED');
  });
});
