import { BaseConfig, WholeNumber, WithDatabase, WithJwtIssuers } from '@tandem/service-defaults';

/** The environment variables of this app. */
export class DiscoveryConfig extends WithJwtIssuers(WithDatabase(BaseConfig), {
  service: 'required',
  openid: 'required',
}) {
  /** How often a replica checks whether the catalog has changed, ms. */
  @WholeNumber(50, 60_000)
  CATALOG_POLL_MS = 250;
}
