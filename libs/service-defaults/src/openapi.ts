import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { AppDefinition } from './app-definition';
import type { BaseConfig } from './config/base-config';

/** The app's OpenAPI document. */
export function openApiDocument<C extends BaseConfig>(
  nest: NestFastifyApplication,
  app: AppDefinition<C>,
): OpenAPIObject {
  const options = new DocumentBuilder()
    .setTitle(app.openapi.title)
    .setDescription(app.openapi.description)
    .setVersion('2')
    .addBearerAuth()
    .build();
  return SwaggerModule.createDocument(nest, options);
}

/** Serves `/docs` (a page) and `/docs/openapi.json`; made at the first look, so that it costs a start nothing. */
export function serveOpenApi<C extends BaseConfig>(nest: NestFastifyApplication, app: AppDefinition<C>): void {
  SwaggerModule.setup('docs', nest, () => openApiDocument(nest, app), { jsonDocumentUrl: 'docs/openapi.json' });
}
