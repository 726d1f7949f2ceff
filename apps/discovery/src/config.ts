import { BaseConfig, WholeNumber, WithDatabase, WithJwtIssuers } from '@tandem/service-defaults';

/** The environment variables of this app. */
export class DiscoveryConfig extends WithJwtIssuers(WithDatabase(BaseConfig), {
  service: 'required',
  openid: 'required',
}) {
  /** How long a replica waits, in milliseconds, before it checks again whether the catalog has changed. */
  @WholeNumber(50, 60_000)
  CATALOG_POLL_MS = 250;
}
