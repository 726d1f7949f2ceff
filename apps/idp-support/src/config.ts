import { WithCalls } from '@tandem/internal-api';
import { BaseConfig, IsHttpUrl, WholeNumber, WithDatabase, WithEvents, WithJwtIssuers } from '@tandem/service-defaults';

/** The environment of idp-support, in addition to what every app reads. README.md lists it in a table. */
export class IdpSupportConfig extends WithCalls(
  WithJwtIssuers(WithEvents(WithDatabase(BaseConfig)), { service: 'required' }),
) {
  /** The address of idp-api. */
  @IsHttpUrl()
  IDP_API_URL!: string;

  /**
   * The time limit of calls to idp-api, ms. It must be longer than idp-api's VENDOR_TIMEOUT_MS, because a change of personal data may take
   * that long.
   */
  @WholeNumber(100, 60_000)
  IDP_API_TIMEOUT_MS = 15_000;
}
