import type { EventDefinition } from '@tandem/contracts';

/** The senders of webhooks. */
export const INTEGRATIONS = ['payments', 'array'] as const;
export type IntegrationName = (typeof INTEGRATIONS)[number];

/** A webhook whose caller was authenticated as its integration. */
export interface ReceivedWebhook {
  /** The path on which it was received. */
  readonly path: string;
  readonly rawBody: Buffer;
  /** The `webhook-id` header. */
  readonly webhookId: string | null;
  /** Precise to the millisecond. */
  readonly receivedAt: Date;
}

/** An event that results from a webhook. */
export interface MeantEvent {
  readonly definition: EventDefinition<object>;
  readonly data: object;
}

/** @param data must pass the validation of the definition's class */
export const meantEvent = <T extends object>(definition: EventDefinition<T>, data: T): MeantEvent => ({
  definition: definition as unknown as EventDefinition<object>,
  data,
});

/** What identifies a duplicate when the body has no id. */
export interface Statement {
  /** What the webhook is about. A webhook with the same content as the last one of its subject is a duplicate. */
  readonly subject: string;
  /** What the webhook reports about the subject. */
  readonly content: string;
  /** Whether a repeat under a different `webhook-id` is new, because the same can become true again without another webhook in between. */
  readonly isNewByWebhookId?: boolean;
}

/** A parsed webhook. */
export interface ReadWebhook {
  /** The id in the body, or what identifies the webhook without one. */
  readonly identity: { readonly id: string } | { readonly statement: Statement };
  readonly type: string;
  /** When it happened; null where the body does not have the time. */
  readonly occurredAt: Date | null;
  readonly subscriptionId: string | null;
  /** The user's key in this integration: the KRN, or the `arrayUserId`. */
  readonly userId: string | null;
  /** The exact body. */
  readonly text: string;
  /** None for an unknown type. */
  readonly events: readonly MeantEvent[];
}

/** Reads the bodies of one integration. */
export interface WebhookReader {
  readonly integration: IntegrationName;

  /**
   * The same body must always give the same result, whenever it is read.
   *
   * @throws ValidationFailedError naming the fields that are missing or wrong
   */
  read(received: Pick<ReceivedWebhook, 'path' | 'rawBody' | 'receivedAt'>): ReadWebhook;
}
