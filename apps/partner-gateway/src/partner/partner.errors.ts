import { ErrorOf } from '@tandem/http-api';

export class PartnerNotFoundError extends ErrorOf('not_found', 'There is no such partner') {}

/** The request is only for partners of the other integration kind. */
export class IntegrationKindMismatchError extends Error {
  readonly code = 'integration_kind_mismatch';

  constructor(needed: string) {
    super(`Only partners with the integration kind "${needed}" can do this`);
  }
}
