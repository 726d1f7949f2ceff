export * from './app-definition';
export * from './bootstrap';
export * from './config/base-config';
export * from './config/development-only';
export * from './config/load-config';
export * from './errors/error-map';
export * from './errors/http-failure';
export * from './errors/request-errors';
export { fieldProblems } from './errors/dto.pipe';
export { KnownParametersOnly } from './errors/known-parameters';
export { internalCall, REQUEST_TIMEOUT_HEADER } from './http/request-context';
export { isEncoded } from './http/json-body';
export { MAX_NESTING, nestingDepth } from './http/nesting';
export { addLogFields, withLogFields } from './logging/log-context';
export { openApiDocument, type OpenApiOptions, previewDocuments } from './openapi';
export * from './run';
export * from './service.module';
/** Gives a route settings that an `onRequest` hook finds in `request.routeOptions.config`. */
export { RouteConfig } from '@nestjs/platform-fastify';
