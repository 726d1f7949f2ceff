import type { IdentityEvent, PushedAlert } from '@tandem/contracts';
import { PermanentEventError } from '@tandem/messaging';
import { MAX_ALERT_ID } from '../array/alerts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Converts the user's key in an event to the form in which `profile.array_user_id` stores it. Returns null for a key that is not a UUID,
 * because this app assigns only UUIDs.
 */
export function vendorUserKeyOf({ arrayUserId }: IdentityEvent): string | null {
  const key = arrayUserId.toLowerCase();
  return UUID.test(key) ? key : null;
}

const NO_ALERT = `alert_pushed needs an alert with an id of at most ${MAX_ALERT_ID}`;

/** Returns the alert of an event. @throws PermanentEventError when there is none, or its id is above {@link MAX_ALERT_ID} */
export function requireAlert({ alert }: IdentityEvent): PushedAlert {
  if (!alert || alert.alertId > MAX_ALERT_ID) throw new PermanentEventError(NO_ALERT);
  return alert;
}

/** Returns the product code of an event. @throws PermanentEventError when there is none */
export function requireProductCode({ type, productCode }: IdentityEvent): string {
  if (!productCode) throw new PermanentEventError(`${type} needs a productCode`);
  return productCode;
}
