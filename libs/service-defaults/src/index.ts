export * from './app-definition';
export { AuthenticatedBy, type RequestAuthenticator } from './authentication/authenticated-by';
export * from './bootstrap';
export * from './config/base-config';
export * from './config/config-parts';
export * from './config/development-only';
export { IsHttpUrl } from './config/http-url';
export * from './config/keys';
export * from './config/load-config';
export { NeededWhen } from './config/needed-when';
export { listOf, nonEmptyListOf, Parsed } from './config/parsed';
export * from './config/with-jwt-issuers';
export * from './errors/documented-failures';
export * from './errors/error-map';
export * from './errors/error-of';
export * from './errors/http-failure';
export * from './errors/request-errors';
export { fieldProblems } from './errors/dto.pipe';
export { KnownParametersOnly } from './errors/known-parameters';
export * from './fields/field-rules';
export * from './fields/field-words';
export * from './fields/fields';
export * from './fields/page';
export * from './fields/view';
export { ignoreBody } from './http/ignore-body';
export { REQUEST_TIMEOUT_HEADER, requestTimeoutHeader } from './http/request-context';
export { isEncoded } from './http/json-body';
export { MAX_NESTING, nestingDepth } from './http/nesting';
export { addLogFields, withLogFields } from './logging/log-context';
export { type HealthCheck, type HealthReport, ReadinessCheck } from './health/health';
export { documentsOf, type OpenApiOptions } from './openapi';
export * from './rate-limit/rate-limit.errors';
export { RATE_LIMIT_MIGRATIONS } from './rate-limit/rate-limit.migrations';
export * from './rate-limit/rate-limit.module';
export * from './rate-limit/rate-limit.rules';
export { RateLimits } from './rate-limit/rate-limits';
export * from './run';
export * from './service.module';
export {
  describeRequest,
  inClientSpan,
  markAnswer,
  markFailure,
  type OutgoingRequest,
} from './tracing/client-span';
