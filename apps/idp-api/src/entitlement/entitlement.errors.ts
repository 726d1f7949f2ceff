/** The user's subscriptions do not hold what the operation needs. */
export class EntitlementsRequiredError extends Error {
  readonly code = 'entitlements_required';

  constructor() {
    super('the user lacks an entitlement');
  }
}
