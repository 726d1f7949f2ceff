import { ErrorOf } from '@tandem/http-api';

export class PartnerNotFoundError extends ErrorOf('not_found', 'There is no such partner') {}

/** A voucher partner called an endpoint for promotion partners, or a promotion partner called one for voucher partners. */
export class IntegrationKindMismatchError extends Error {
  readonly code = 'integration_kind_mismatch';

  constructor(needed: string) {
    super(`Only partners with the integration kind "${needed}" can do this`);
  }
}
