import type { EventDefinition } from '@tandem/contracts';

/** Whose webhooks come in. */
export const INTEGRATIONS = ['payments', 'array'] as const;
export type IntegrationName = (typeof INTEGRATIONS)[number];

/** A webhook whose caller is known to be its integration. */
export interface ReceivedWebhook {
  /** The path that it came by. */
  readonly path: string;
  readonly rawBody: Buffer;
  /** The `webhook-id` header. */
  readonly webhookId: string | null;
  /** To the millisecond. */
  readonly receivedAt: Date;
}

/** An event that a webhook means. */
export interface MeantEvent {
  readonly definition: EventDefinition<object>;
  readonly data: object;
}

/** @param data must pass the validation of the definition's class */
export const meantEvent = <T extends object>(definition: EventDefinition<T>, data: T): MeantEvent => ({
  definition: definition as unknown as EventDefinition<object>,
  data,
});

/** By what a duplicate is known where the body has no id of its own. */
export interface Statement {
  /** What it is about: a webhook that says the same as the last one of its subject is a duplicate. */
  readonly subject: string;
  /** What it says of the subject. */
  readonly content: string;
  /** Whether another `webhook-id` makes it another webhook: the same may be true again without anything else having been said. */
  readonly isNewByWebhookId?: boolean;
}

/** A webhook as its integration means it. */
export interface ReadWebhook {
  /** The body's own id, or what stands for it. */
  readonly identity: { readonly id: string } | { readonly statement: Statement };
  readonly type: string;
  /** When it happened, where the body says so. */
  readonly occurredAt: Date | null;
  readonly subscriptionId: string | null;
  /** The user's key with this integration: the KRN, or the `arrayUserId`. */
  readonly userId: string | null;
  /** The body, exactly. */
  readonly text: string;
  /** None for a type that is not understood. */
  readonly events: readonly MeantEvent[];
}

/** Knows the bodies of one integration. */
export interface WebhookReader {
  readonly integration: IntegrationName;

  /**
   * The same body always means the same, whenever it is read.
   *
   * @throws ValidationFailedError naming the fields that are missing or wrong
   */
  read(received: Pick<ReceivedWebhook, 'path' | 'rawBody' | 'receivedAt'>): ReadWebhook;
}
