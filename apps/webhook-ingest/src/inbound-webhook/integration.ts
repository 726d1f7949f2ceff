import type { EventDefinition } from '@tandem/contracts';

/** The senders of webhooks. */
export const INTEGRATIONS = ['payments', 'array'] as const;
export type IntegrationName = (typeof INTEGRATIONS)[number];

/** A webhook whose caller was authenticated as its integration. */
export interface ReceivedWebhook {
  /** The path on which the webhook was received. */
  readonly path: string;
  readonly rawBody: Buffer;
  /** The `webhook-id` header. */
  readonly webhookId: string | null;
  /** When the webhook was received, to the millisecond. */
  readonly receivedAt: Date;
}

/** An event that results from a webhook. */
export interface MeantEvent {
  readonly definition: EventDefinition<object>;
  readonly data: object;
}

/** Creates an event with typed data. @param data must pass the validation of the definition's class */
export const meantEvent = <T extends object>(definition: EventDefinition<T>, data: T): MeantEvent => ({
  definition: definition as unknown as EventDefinition<object>,
  data,
});

/** Identifies duplicates of a webhook whose body has no id. */
export interface Statement {
  /** What the webhook is about. A webhook with the same content as the last webhook about the subject is a duplicate. */
  readonly subject: string;
  /** What the webhook reports about the subject. */
  readonly content: string;
  /** Whether the same content counts as new under a different `webhook-id`, because it can become true again without another webhook in between. */
  readonly isNewByWebhookId?: boolean;
}

/** A parsed webhook. */
export interface ReadWebhook {
  /** The id in the body or, for a body without an id, what identifies the webhook instead. */
  readonly identity: { readonly id: string } | { readonly statement: Statement };
  readonly type: string;
  /** When the reported event happened; null if the body does not contain the time. */
  readonly occurredAt: Date | null;
  readonly subscriptionId: string | null;
  /** The user's key in this integration: the KRN, or the `arrayUserId`. */
  readonly userId: string | null;
  /** The exact body. */
  readonly text: string;
  /** The events that result from the webhook. A webhook of an unknown type has none. */
  readonly events: readonly MeantEvent[];
}

/** Reads the bodies of one integration. */
export interface WebhookReader {
  readonly integration: IntegrationName;

  /**
   * Reads a webhook. The result for the same body must always be the same, whenever it is read.
   *
   * @throws ValidationFailedError naming the fields that are missing or invalid
   */
  read(received: Pick<ReceivedWebhook, 'path' | 'rawBody' | 'receivedAt'>): ReadWebhook;
}
