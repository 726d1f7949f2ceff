import { randomUUID } from 'node:crypto';

/** The key that the vendor has given to the platform. */
export const APP_KEY = 'app-key';

/** Creates a valid body of a pushed alert, changed as given. */
export function alertPush(details: object = {}, envelope: object = {}) {
  return {
    service: 'alerts',
    event: 'push',
    method: 'push',
    details: {
      appKey: APP_KEY,
      clientKey: randomUUID(),
      bureau: 'EXP',
      alertType: 'CREDIT_MONITORING',
      alertSubType: 'NEW',
      alertId: 4711,
      ...details,
    },
    ...envelope,
  };
}

/** Creates a body that reports the start or the end of an enrollment. */
export const monitoring = (method: string, clientKey: string, productCode: unknown = 'CREDIT_SCORE') => ({
  service: 'monitoring',
  event: 'enrollment',
  method,
  details: { appKey: APP_KEY, clientKey, productCode },
});

/** Creates a body that reports the result of a verification. */
export const authentication = (event: unknown, clientKey: string) => ({
  service: 'authentication',
  event,
  method: 'post',
  details: { appKey: APP_KEY, clientKey },
});

/** Creates a body of a type that webhook-ingest does not know. */
export const unknownWebhook = (details: object, envelope: object = {}) => ({
  service: 'billing',
  event: 'invoice',
  method: 'post',
  details: { appKey: APP_KEY, ...details },
  ...envelope,
});
