import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  DELIVERY_STATUSES,
  type DeliveryStatus,
  type PostbackAttemptView,
  type PostbackDeliveryPage,
  type PostbackDeliveryView,
  type PostbackTestResult,
  type ReplayedPostbackDeliveries,
  type ReplayedPostbackDelivery,
  type RotatedSigningSecret,
} from '@tandem/internal-api';
import { Type } from 'class-transformer';
import { Allow, IsIn, IsInt, IsOptional, IsString, Min, ValidateIf } from 'class-validator';

/** Left out is fine; an empty value is a value. */
const Omittable = (): PropertyDecorator => ValidateIf((_query: object, value: unknown) => value !== undefined);

const STAGES = 'dns, ssrf_refused, connect, tls, timeout, reset, protocol, body, status';

export class ListDeliveriesQuery {
  @ApiPropertyOptional({ description: '`nextCursor` of the page before; good for the same status only' })
  @Omittable()
  @IsString()
  cursor?: string;

  @ApiPropertyOptional({ enum: DELIVERY_STATUSES })
  @Omittable()
  @IsIn(DELIVERY_STATUSES)
  status?: DeliveryStatus;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 500, default: 100 })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  limit?: number;
}

/** Passed on as it came: postback-dispatcher validates it, as the owner of the rules. */
export class ReplayRangeBody {
  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'ISO 8601 with a zone: deliveries that were created then or later',
  })
  @Allow()
  from?: unknown;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'Deliveries that were created before; at most 90 days after `from`',
  })
  @Allow()
  to?: unknown;

  @ApiPropertyOptional({
    enum: DELIVERY_STATUSES,
    nullable: true,
    description: 'Left out or null: what was not delivered, which is `failed` and `held`',
  })
  @Allow()
  status?: unknown;
}

export class PostbackAttemptDto implements PostbackAttemptView {
  @ApiProperty({ type: 'integer', description: 'From 1; it goes on counting when the delivery is replayed' })
  number!: number;

  @ApiProperty({ format: 'date-time' })
  at!: string;

  @ApiProperty({ type: 'integer', nullable: true, description: 'The HTTP status; null when no answer came' })
  status!: number | null;

  @ApiProperty({ type: 'integer' })
  latencyMs!: number;

  @ApiProperty({
    type: String,
    nullable: true,
    description: `Null for a success, else the stage at which it failed (${STAGES}), with a detail in brackets`,
  })
  error!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'The first 2 kB of your answer; null when it was empty' })
  response!: string | null;
}

export class PostbackDeliveryDto implements PostbackDeliveryView {
  @ApiProperty({ format: 'uuid', description: 'The `webhook-id` of every attempt' })
  id!: string;

  @ApiProperty({ description: 'Of the sale' })
  oid!: string;

  @ApiProperty({
    enum: DELIVERY_STATUSES,
    description: '`held`: there was no enabled configuration to send it to; a replay sends it',
  })
  status!: DeliveryStatus;

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Null unless it is `delivered`' })
  deliveredAt!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Null unless it is `pending`' })
  nextAttemptAt!: string | null;

  @ApiProperty({ type: PostbackAttemptDto, isArray: true, description: 'Oldest first; the last 50' })
  attempts!: PostbackAttemptDto[];
}

export class PostbackDeliveryPageDto implements PostbackDeliveryPage {
  @ApiProperty({ type: PostbackDeliveryDto, isArray: true, description: 'Newest first' })
  items!: PostbackDeliveryDto[];

  @ApiProperty({ type: String, nullable: true, description: 'Null on the last page' })
  nextCursor!: string | null;

  @ApiProperty()
  hasMore!: boolean;
}

export class ReplayedDeliveryDto implements ReplayedPostbackDelivery {
  @ApiProperty({ format: 'uuid' })
  id!: string;
}

export class ReplayedDeliveriesDto implements ReplayedPostbackDeliveries {
  @ApiProperty({ type: 'integer', description: 'How many are sent again' })
  count!: number;
}

export class PostbackTestDto implements PostbackTestResult {
  @ApiProperty({ description: 'Whether your answer was a 2xx, in time' })
  delivered!: boolean;

  @ApiProperty({ type: 'integer', nullable: true, description: 'The HTTP status; null when no answer came' })
  status!: number | null;

  @ApiProperty({ type: 'integer' })
  latencyMs!: number;

  @ApiProperty({ type: String, nullable: true, description: 'As of an attempt; null for a success' })
  error!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'The first 2 kB of your answer; null when it was empty' })
  response!: string | null;
}

export class SigningSecretDto implements RotatedSigningSecret {
  @ApiProperty({ description: 'Shown this once. For 24 hours the one before signs beside it' })
  signingSecret!: string;
}
