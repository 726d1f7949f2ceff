import { Body, Controller, Get, Module, Param, Post, Query, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import {
  type Access,
  defineErrors,
  Endpoint,
  type ErrorFormat,
  ErrorOf,
  openApiDocument,
  PLAIN_FORMAT,
  PROBLEM_FORMAT,
  type RequestAuthenticator,
  TextField,
} from '../src';

class StrangerError extends ErrorOf('unauthorized', 'Who are you?') {}
class ParcelLostError extends ErrorOf('parcel_lost', 'The parcel is lost') {}

class CallerAuthenticator implements RequestAuthenticator {
  authenticate(): void {
    return undefined;
  }
}

class ParcelQuery {
  @TextField({ max: 10, optional: true })
  cursor?: string;
}
class ParcelBody {
  @TextField({ max: 10 })
  name!: string;
}
class ParcelDto {
  @TextField({ example: 'A name' })
  name!: string;
}

const CALLERS: Access = { by: CallerAuthenticator, token: 'bearer', errors: [StrangerError], limited: true };
const NO_BODIES: Access = { ...CALLERS, ignoresBody: true, limited: false };

@Controller('parcels')
class ParcelController {
  @Get(':id')
  @Endpoint({ access: CALLERS, summary: 'Read a parcel', answer: { type: ParcelDto }, errors: [ParcelLostError] })
  getParcel(@Param('id') id: string, @Query() query: ParcelQuery): unknown {
    return { id, query };
  }

  @Post()
  @Endpoint({ access: CALLERS, summary: 'Send a parcel', answer: { status: 201, type: ParcelDto }, noStore: true })
  sendParcel(@Body() body: ParcelBody): unknown {
    return body;
  }

  @Post('weigh')
  @Endpoint({ access: CALLERS, summary: 'Weigh a parcel', answer: { type: ParcelDto } })
  weighParcel(): unknown {
    return {};
  }

  @Post('forget')
  @Endpoint({ access: NO_BODIES, summary: 'Forget' })
  forget(): void {
    return undefined;
  }
}

@Module({ controllers: [ParcelController], providers: [CallerAuthenticator] })
class ParcelModule {}

const ERRORS = defineErrors([
  [StrangerError, 401, { headers: { 'WWW-Authenticate': 'Bearer' } }],
  [ParcelLostError, 410],
]);

async function documentOf(module: Type, errors = ERRORS, errorFormat: ErrorFormat = PROBLEM_FORMAT) {
  const nest = await NestFactory.create(module, new FastifyAdapter(), { preview: true, logger: false });
  const options = { title: 'Parcels', description: 'Parcels' };
  return openApiDocument(nest, options, { errors, errorFormat });
}

const statusesOf = (document: OpenAPIObject, path: string, method: 'get' | 'post'): string[] =>
  Object.keys(document.paths[path]?.[method]?.responses ?? {});

const ALWAYS = ['400', '401', '405', '408', '414', '431', '500', '503'];

describe('the document of an endpoint', () => {
  let document: OpenAPIObject;
  beforeAll(async () => {
    document = await documentOf(ParcelModule);
  });

  it('has the errors of the access, of invalid input and of the endpoint, with the statuses of the error map', () => {
    expect(statusesOf(document, '/parcels/{id}', 'get').sort()).toEqual(['200', ...ALWAYS, '410', '422'].sort());
  });

  it('has the status that the endpoint answers, which is 200 for a POST without a status of its own', async () => {
    expect(statusesOf(document, '/parcels/weigh', 'post')).toContain('200');
    const nest = await NestFactory.create<NestFastifyApplication>(ParcelModule, new FastifyAdapter(), {
      logger: false,
    });
    await nest.init();
    expect((await nest.inject({ method: 'POST', url: '/parcels/weigh' })).statusCode).toBe(200);
    await nest.close();
  });

  it('has the errors of refused bodies if the endpoint reads a body', () => {
    expect(statusesOf(document, '/parcels', 'post').sort()).toEqual(['201', ...ALWAYS, '413', '415', '422'].sort());
  });

  it('has no errors of refused bodies if the endpoint ignores bodies', () => {
    expect(statusesOf(document, '/parcels/forget', 'post').sort()).toEqual(['204', ...ALWAYS].sort());
  });

  it('has the handler’s name, the token of the access, and an example of the answer', () => {
    expect(document.paths['/parcels/{id}']?.get).toMatchObject({
      operationId: 'getParcel',
      security: [{ bearer: [] }],
      responses: { 200: { content: { 'application/json': { example: { name: 'A name' } } } } },
    });
  });

  it('has the RateLimit headers only if the access is limited, and Cache-Control if the endpoint has noStore', () => {
    const headersOf = (path: string, method: 'get' | 'post', status: number): string[] =>
      Object.keys((document.paths[path]?.[method]?.responses[status] as { headers: object }).headers);
    expect(headersOf('/parcels/{id}', 'get', 200)).toContain('RateLimit');
    expect(headersOf('/parcels/forget', 'post', 204)).toEqual(['X-Request-Id']);
    expect(headersOf('/parcels', 'post', 201)).toContain('Cache-Control');
  });

  it('describes errors in the format of the app', async () => {
    const plain = await documentOf(ParcelModule, ERRORS, PLAIN_FORMAT);
    const gone = plain.paths['/parcels/{id}']?.get?.responses['410'] as { content: Record<string, unknown> };
    expect(gone.content['application/json']).toEqual({
      schema: { $ref: '#/components/schemas/PlainError' },
      examples: { parcel_lost: { summary: 'The parcel is lost', value: { error: 'The parcel is lost' } } },
    });
    expect(Object.keys(plain.components?.schemas ?? {})).toContain('PlainError');
  });

  it('cannot be generated while the error map lacks one of its errors', async () => {
    await expect(documentOf(ParcelModule, defineErrors([[StrangerError, 401]]))).rejects.toThrow(
      'ParcelLostError has no status',
    );
  });
});
