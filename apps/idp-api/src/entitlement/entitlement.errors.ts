/** The operation needs an entitlement that the user lacks, or a product that the profile's version does not include. */
export class EntitlementsRequiredError extends Error {
  readonly code = 'entitlements_required';

  constructor() {
    super('the user lacks an entitlement');
  }
}
