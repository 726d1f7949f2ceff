export {
  AuthenticationError,
  ConnectionFailedError,
  type ErrorDetails,
  NotFoundError,
  RateLimitError,
  ServerError,
  TandemError,
  TimedOutError,
} from '../../../sdks/typescript/errors.ts';
export type { CallOptions, RequestInfo, ResponseInfo } from '../../../sdks/typescript/options.ts';
export { ConflictError, PermissionDeniedError, ValidationError } from './errors.ts';
export type { TandemOptions } from './options.ts';
export * from './postback/handlers.ts';
export * from './postback/store.ts';
export type { PostbackHandlerOptions } from './postback/take-postback.ts';
export * from './postback/verify.ts';
export type { Deliveries, PostbackSetup } from './postback-setup.ts';
export type { Sales } from './sales.ts';
export { Tandem } from './tandem.ts';
export type * from './types.ts';
export type { Vouchers } from './vouchers.ts';
