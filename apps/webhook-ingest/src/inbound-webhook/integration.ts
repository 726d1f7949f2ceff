import type { EventDefinition } from '@tandem/contracts';

/** The integrations that send webhooks: the billing provider (`payments`) and the identity vendor (`array`). */
export const INTEGRATIONS = ['payments', 'array'] as const;
export type IntegrationName = (typeof INTEGRATIONS)[number];

/** A webhook whose sender was authenticated as the integration of its path. */
export interface ReceivedWebhook {
  /** The path on which the webhook was received. */
  readonly path: string;
  readonly rawBody: Buffer;
  /** The first 255 characters of the `webhook-id` header; null if there is none. */
  readonly webhookId: string | null;
  /** When the webhook was received, to the millisecond. */
  readonly receivedAt: Date;
}

/** An event that results from a webhook. */
export interface MeantEvent {
  readonly definition: EventDefinition<object>;
  readonly data: object;
}

/** Creates an event to publish. @param data must pass the validation of the definition's class */
export const meantEvent = <T extends object>(definition: EventDefinition<T>, data: T): MeantEvent => ({
  definition: definition as unknown as EventDefinition<object>,
  data,
});

/** What a webhook without an id in its body states. Duplicates are recognized by this statement. */
export interface Statement {
  /**
   * What the webhook is about. A webhook is a duplicate if the claim on its subject is within the window and has the same content, unless
   * `isNewByWebhookId` makes the webhook new.
   */
  readonly subject: string;
  /** What the webhook reports about the subject. */
  readonly content: string;
  /**
   * Whether the same content with a different `webhook-id` counts as new, because the content may have become true again without another
   * webhook in between.
   */
  readonly isNewByWebhookId?: boolean;
}

/** A parsed webhook. */
export interface ReadWebhook {
  /** The id in the body. For a body without an id, the statement by which duplicates are recognized. */
  readonly identity: { readonly id: string } | { readonly statement: Statement };
  readonly type: string;
  /** When the reported event happened; null if the body does not contain the time. */
  readonly occurredAt: Date | null;
  readonly subscriptionId: string | null;
  /** The user's id in this integration: the KRN (payments) or the `arrayUserId` (array). */
  readonly userId: string | null;
  /** The exact body, as a string. */
  readonly text: string;
  /** The events that result from the webhook; none if its type is unknown. */
  readonly events: readonly MeantEvent[];
}

/** Reads the bodies of one integration. */
export interface WebhookReader {
  readonly integration: IntegrationName;

  /**
   * Reads a webhook. It must return the same result for the same input at any time, because a replay reads the stored body again.
   *
   * @throws ValidationFailedError when the body is not a JSON object, or a field is missing or invalid; the error names the fields
   */
  read(received: Pick<ReceivedWebhook, 'path' | 'rawBody' | 'receivedAt'>): ReadWebhook;
}
