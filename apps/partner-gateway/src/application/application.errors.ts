import { ErrorOf } from '@tandem/http-api';
import type { ApplicationStatus } from './application.entity';

export class ApplicationNotFoundError extends ErrorOf('not_found', 'There is no such application') {}

/** `PARTNER_APPLICATIONS_ENABLED` is false. */
export class ApplicationsDisabledError extends ErrorOf('not_found', 'Applications are turned off') {}

/** The application has already been decided. */
export class ApplicationDecidedError extends Error {
  readonly code = 'application_decided';

  constructor(status: ApplicationStatus) {
    super(`Only a pending application can be decided; this one is ${status}`);
  }
}
