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
export type { Alerts, AlertSelection } from './alerts.ts';
export {
  AttemptsTooEarlyError,
  EntitlementsRequiredError,
  type IdentityError,
  InvalidFieldsError,
  isIdentityError,
  isLockError,
  type LockError,
  MaximumAttemptsReachedError,
  SecondFactorRequiredError,
  UserAlreadyExistsError,
  UserNotFoundError,
} from './errors.ts';
export { Identity, type Samples } from './identity.ts';
export type { ProfileCalls } from './profile.ts';
export type { IdentityOptions, TokenRequest } from './session.ts';
export * from './types.ts';
