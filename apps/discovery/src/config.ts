import { BaseConfig, WholeNumber, WithDatabase, WithJwtIssuers } from '@tandem/service-defaults';

/** The environment variables of this app. */
export class DiscoveryConfig extends WithJwtIssuers(WithDatabase(BaseConfig), {
  service: 'required',
  openid: 'required',
}) {
  /** The pause after which a replica checks again whether the catalog has changed, ms. */
  @WholeNumber(50, 60_000)
  CATALOG_POLL_MS = 250;
}
