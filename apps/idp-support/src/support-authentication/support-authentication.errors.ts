import { ErrorOf } from '@tandem/http-api';

/** The token is valid, but lacks the scope `support`. */
export class PermissionDeniedError extends ErrorOf('permission_denied', 'the token lacks the scope support') {}
