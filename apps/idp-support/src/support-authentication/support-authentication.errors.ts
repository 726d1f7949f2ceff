import { ErrorOf } from '@tandem/service-defaults';

/** The token is valid, and lacks the scope of support. */
export class PermissionDeniedError extends ErrorOf('permission_denied', 'the token lacks the scope support') {}
