/** The user's subscriptions lack an entitlement that the operation needs. */
export class EntitlementsRequiredError extends Error {
  readonly code = 'entitlements_required';

  constructor() {
    super('the user lacks an entitlement');
  }
}
