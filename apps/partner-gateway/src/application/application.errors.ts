import { ErrorOf } from '@tandem/http-api';
import type { ApplicationStatus } from './application.entity';

export class ApplicationNotFoundError extends ErrorOf('not_found', 'There is no such application') {}

/** The application has already been decided. */
export class ApplicationDecidedError extends Error {
  readonly code = 'application_decided';

  constructor(status: ApplicationStatus) {
    super(`Only a pending application can be decided; this one is ${status}`);
  }
}
