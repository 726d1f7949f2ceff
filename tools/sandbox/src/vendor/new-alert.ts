import { randomUUID } from 'node:crypto';
import type { SignedWebhooks, WebhookResult } from '../webhook/signed-webhooks';
import type { UserBook } from './user-book';
import type { Bureau, VendorAlert } from './vendor-user';

/** An alert that the vendor reports. */
export interface NewAlert {
  bureau: Bureau;
  class: string;
  detail?: Record<string, unknown>;
}

/** The parts of the sandbox that `addAlert` uses. */
export interface AlertParts {
  appKey: string;
  users: UserBook;
  webhooks: SignedWebhooks;
}

/**
 * Adds an alert to a user's alerts, and sends its webhook, as the vendor does. The alert stays in the vendor's list even when the platform
 * refuses the webhook.
 * @throws SandboxError 404 for an unknown user
 */
export async function addAlert(
  { appKey, users, webhooks }: AlertParts,
  clientKey: string,
  alert: NewAlert,
): Promise<{ alertId: number; webhook: WebhookResult }> {
  const at = new Date().toISOString();
  const [added] = users.addAlerts(clientKey, [{ ...alert, createDate: at, updatedDate: at }]);
  const { alertId, bureau, class: alertType } = added as VendorAlert;
  const webhook = await webhooks.send({
    id: `arr_${randomUUID()}`,
    body: {
      service: 'alerts',
      event: 'push',
      method: 'push',
      details: { appKey, clientKey, bureau: bureau.toUpperCase(), alertType, alertSubType: 'NEW', alertId },
    },
  });
  return { alertId, webhook };
}
