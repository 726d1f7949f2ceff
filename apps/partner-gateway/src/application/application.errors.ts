import { ErrorOf } from '@tandem/http-api';
import type { ApplicationStatus } from './application.entity';

export class ApplicationNotFoundError extends ErrorOf('not_found', 'There is no such application') {}

/** Applications are turned off in this environment. */
export class ApplicationsDisabledError extends ErrorOf('not_found', 'Applications are turned off') {}

/** The application has already been decided. */
export class ApplicationDecidedError extends Error {
  readonly code = 'application_decided';

  constructor(status: ApplicationStatus) {
    super(`Only a pending application can be decided; this one is ${status}`);
  }
}
