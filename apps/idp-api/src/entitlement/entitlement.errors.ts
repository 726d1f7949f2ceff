/** The user lacks an entitlement or, for a product, a version of the profile that the operation needs. */
export class EntitlementsRequiredError extends Error {
  readonly code = 'entitlements_required';

  constructor() {
    super('the user lacks an entitlement');
  }
}
