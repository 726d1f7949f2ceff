import { randomUUID } from 'node:crypto';
import type { SignedBody } from './webhooks';

/** The data of an alert that the identity vendor sends by webhook. */
export interface AlertPush {
  /** The platform's key at the vendor. */
  readonly appKey: string;
  /** The vendor's id of the user. */
  readonly clientKey: string;
  readonly alertId: number;
}

/** Returns the webhook of a new alert from Experian. */
export function alertWebhook({ appKey, clientKey, alertId }: AlertPush): SignedBody {
  const details = {
    appKey,
    clientKey,
    bureau: 'EXP',
    alertType: 'CREDIT_MONITORING',
    alertSubType: 'NEW',
    alertId,
  };
  const body = JSON.stringify({ service: 'alerts', event: 'push', method: 'push', details });
  return { id: `arr_${randomUUID()}`, body };
}
