import { IsIn, IsInt, IsISO8601, IsOptional, IsString, Max, Min, MinLength } from 'class-validator';
import type { EventDefinition } from './event-definition';
import { SaleReference } from './sale';

/** The common fields of `postback.delivered` and `postback.failed`. */
export class PostbackReference extends SaleReference {
  /** The delivery's id, which is also the `webhook-id` that the partner received with every attempt. */
  @IsString()
  @MinLength(1)
  deliveryId!: string;

  /** The number of attempts; 0 for a postback that expired before its first attempt, while its endpoint was paused. */
  @IsInt()
  @Min(0)
  attempts!: number;
}

/** Data of `postback.delivered`: the partner's endpoint answered with a status from 200 to 299. */
export class PostbackDelivered extends PostbackReference {
  @IsInt()
  @Min(200)
  @Max(299)
  status!: number;

  @IsISO8601({ strict: true })
  deliveredAt!: string;
}

/** Why a postback was abandoned. */
export const POSTBACK_FAILURE_REASONS = ['attempts_exhausted', 'endpoint_gone'] as const;

/**
 * Data of `postback.failed`, with one of two reasons:
 * - `attempts_exhausted`: no attempt is left, or the postback expired while its endpoint was paused.
 * - `endpoint_gone`: the endpoint answered that it is gone.
 */
export class PostbackFailed extends PostbackReference {
  @IsIn(POSTBACK_FAILURE_REASONS)
  reason!: (typeof POSTBACK_FAILURE_REASONS)[number];

  /**
   * The HTTP status of the answer to the last attempt; absent when that attempt got no answer, or when the postback expired
   * while its endpoint was paused.
   */
  @IsOptional()
  @IsInt()
  status?: number;

  @IsISO8601({ strict: true })
  failedAt!: string;
}

/** Published by postback-dispatcher. */
export const POSTBACK_DELIVERED: EventDefinition<PostbackDelivered> = {
  topic: 'postback.delivered',
  data: PostbackDelivered,
  keyOf: (data) => data.oid,
};

/** Published by postback-dispatcher. */
export const POSTBACK_FAILED: EventDefinition<PostbackFailed> = {
  topic: 'postback.failed',
  data: PostbackFailed,
  keyOf: (data) => data.oid,
};
