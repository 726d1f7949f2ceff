import { EnumField, IntegerField, IsText, KnownParametersOnly, TextField, TimeField } from '@tandem/http-api';
import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { type IntegrationName, INTEGRATIONS } from '../inbound-webhook/integration';

export const MAX_PAGE = 500;
export const MAX_REPLAYED = 100;

const OUTCOMES = ['accepted', 'ignored'] as const;

/** The query parameters of the list of stored webhooks. */
@KnownParametersOnly()
export class ListWebhooks {
  @EnumField(INTEGRATIONS, { optional: true })
  integration?: IntegrationName;

  @TextField({ min: 1, max: 400, storable: true, optional: true })
  type?: string;

  @EnumField(OUTCOMES, { optional: true })
  outcome?: (typeof OUTCOMES)[number];

  /** Selects webhooks that were received at this time or later. */
  @TimeField({ optional: true })
  since?: string;

  /** Selects webhooks that were received before this time. */
  @TimeField({ optional: true })
  until?: string;

  @TextField({ min: 1, max: 255, storable: true, optional: true })
  oid?: string;

  /** Selects webhooks of this user: a KRN (payments) or an `arrayUserId` (array). */
  @TextField({ min: 1, max: 255, storable: true, optional: true })
  user?: string;

  @TextField({ optional: true, max: 2000 })
  cursor?: string;

  @IntegerField({ min: 1, max: MAX_PAGE, optional: true, fromText: true })
  limit?: number;
}

/** The query parameters that select one webhook. If an operator and a reason are given, the body is shown unmasked. */
@KnownParametersOnly()
export class ShowWebhook {
  @TextField({ min: 1, max: 255, storable: true })
  id!: string;

  @TextField({ min: 1, max: 100, storable: true, optional: true })
  operator?: string;

  @TextField({ min: 1, max: 500, storable: true, optional: true })
  reason?: string;
}

/** The body of a request for a replay. */
export class ReplayWebhooks {
  @IsArray({ message: 'must be an array' })
  @ArrayMinSize(1, { message: 'must not be empty' })
  @ArrayMaxSize(MAX_REPLAYED, { message: `must have at most ${MAX_REPLAYED} entries` })
  @IsText(1, 255, { each: true })
  ids!: string[];

  /** The name of the operator who requests the replay. */
  @IsText(1, 100)
  operator!: string;

  @IsText(1, 500)
  reason!: string;
}

/** A stored webhook, without its body. */
export interface WebhookSummary {
  readonly id: string;
  readonly integration: IntegrationName;
  readonly type: string;
  readonly receivedAt: string;
  readonly occurredAt: string | null;
  readonly outcome: (typeof OUTCOMES)[number];
  readonly oid: string | null;
  readonly user: string | null;
  /** The first 255 characters of the `webhook-id` header. */
  readonly webhookId: string | null;
  readonly path: string;
  /** When a replay last published the events of the webhook; null if no replay did. */
  readonly replayedAt: string | null;
}

export interface EventOfWebhook {
  readonly topic: string;
  readonly eventId: string;
}

export interface WebhookContent extends WebhookSummary {
  /** The events that result when the current version of the app reads the webhook. None if its type is unknown, or the webhook is unreadable. */
  readonly events: readonly EventOfWebhook[];
  /** The body, masked (see `maskedBody`) unless an operator and a reason are given. Null if the current keys cannot decrypt the body. */
  readonly body: unknown;
}

/**
 * The outcome of a replay for one webhook. `ignored` means that the type of the webhook is still unknown. `unreadable` means that the body
 * cannot be decrypted, or that the current version refuses the body as invalid.
 */
export interface ReplayedWebhook {
  readonly id: string;
  readonly outcome: 'published' | 'ignored' | 'unreadable' | 'not_found';
  readonly events: readonly EventOfWebhook[];
}
