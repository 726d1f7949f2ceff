import { randomUUID } from 'node:crypto';

/** A body of the identity vendor: a valid push of an alert, changed as a test wants. */
export function alertPush(details: object = {}, envelope: object = {}) {
  return {
    service: 'alerts',
    event: 'push',
    method: 'push',
    details: {
      appKey: 'app-key',
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

/** What the vendor tells of an enrollment. */
export const monitoring = (method: string, clientKey: string, productCode: unknown = 'CREDIT_SCORE') => ({
  service: 'monitoring',
  event: 'enrollment',
  method,
  details: { appKey: 'app-key', clientKey, productCode },
});

/** What the vendor tells of a verification. */
export const authentication = (event: unknown, clientKey: string) => ({
  service: 'authentication',
  event,
  method: 'post',
  details: { appKey: 'app-key', clientKey },
});

/** What nobody here understands. */
export const unknownWebhook = (details: object, envelope: object = {}) => ({
  service: 'billing',
  event: 'invoice',
  method: 'post',
  details: { appKey: 'app-key', ...details },
  ...envelope,
});
