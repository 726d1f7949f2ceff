import { randomUUID } from 'node:crypto';
import type { SignedWebhooks, WebhookResult } from '../webhook/signed-webhooks';

/** Sends payments webhooks in the Standard Webhooks envelope. */
export class PaymentsWebhooks {
  constructor(private readonly webhooks: SignedWebhooks) {}

  send(type: string, data: object): Promise<WebhookResult> {
    const id = `pay_${randomUUID()}`;
    return this.webhooks.send({
      id,
      body: { id, type, timestamp: new Date().toISOString(), data },
      ...(type === 'subscription.plan_changed' && { path: '/plan-change' }),
    });
  }

  resend(id: string): Promise<WebhookResult> {
    return this.webhooks.resend(id);
  }

  /** Returns the body of a sent webhook. @throws SandboxError when it was never sent, or is no longer stored */
  get(id: string): object {
    return this.webhooks.bodyOf(id);
  }
}
