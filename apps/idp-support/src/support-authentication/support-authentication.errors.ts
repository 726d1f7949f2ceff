import { ErrorOf } from '@tandem/service-defaults';

/** No good token of the service issuer: all reasons look the same to the outside. */
export class UnauthorizedError extends ErrorOf('unauthorized', 'unauthorized') {}

/** A good token, and not one of support. */
export class PermissionDeniedError extends ErrorOf('permission_denied', 'the token lacks the scope support') {}
