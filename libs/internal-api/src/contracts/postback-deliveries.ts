import { Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  IsUUID,
  Matches,
  Max,
  Min,
  MinLength,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { postbackConfigurationPath } from './postback-configuration';

/*
 * The delivery log, between partner-gateway (caller) and postback-dispatcher (owner of deliveries): see
 * postback-configuration.ts. What the partner sees is relayed as it comes: the answers here are the answers of the partner API.
 */

/** `GET` with {@link ListPostbackDeliveries}: a {@link PostbackDeliveryPage}. */
export const postbackDeliveriesPath = (partnerId: string, environment: string): string =>
  `${postbackConfigurationPath(partnerId, environment)}/deliveries`;

/** `POST`: 202 {@link ReplayedPostbackDelivery}. */
export const postbackReplayPath = (partnerId: string, environment: string, deliveryId: string): string =>
  `${postbackDeliveriesPath(partnerId, environment)}/${encodeURIComponent(deliveryId)}/replay`;

/** `POST` with {@link ReplayPostbackDeliveries}: 202 {@link ReplayedPostbackDeliveries}. */
export const postbackRangeReplayPath = (partnerId: string, environment: string): string =>
  `${postbackDeliveriesPath(partnerId, environment)}/replay`;

/** `POST`: 200 {@link PostbackTestResult}, after as long as an attempt may take. */
export const postbackTestPath = (partnerId: string, environment: string): string =>
  `${postbackConfigurationPath(partnerId, environment)}/test`;

/** `POST`: 200 {@link RotatedSigningSecret}. */
export const postbackSigningSecretPath = (partnerId: string, environment: string): string =>
  `${postbackConfigurationPath(partnerId, environment)}/signing-secret`;

/** `held`: kept for a replay, because there was nobody to send it to. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'held'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The form of a delivery's id. */
export const isDeliveryId = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);

const TIME_WITH_ZONE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

const NotNull = (): PropertyDecorator => ValidateIf((_object: object, value: unknown) => value !== null);
const Omittable = (): PropertyDecorator => ValidateIf((_object: object, value: unknown) => value !== undefined);

/** One request to the partner's endpoint. */
export class PostbackAttemptView {
  /** From 1; it goes on counting over replays. */
  @IsInt()
  @Min(1)
  number!: number;

  @IsISO8601({ strict: true })
  at!: string;

  /** Null when no answer came. */
  @NotNull()
  @IsInt()
  @Min(100)
  @Max(999)
  status!: number | null;

  @IsInt()
  @Min(0)
  latencyMs!: number;

  /** The stage at which it failed, and what is known of it; null for a success. */
  @NotNull()
  @IsString()
  @MinLength(1)
  error!: string | null;

  /** The first 2 kB of the answer's body; null when there was none. */
  @NotNull()
  @IsString()
  response!: string | null;
}

/** What a partner sees of a delivery. */
export class PostbackDeliveryView {
  /** Also the `webhook-id`. */
  @IsUUID()
  id!: string;

  @IsString()
  @MinLength(1)
  oid!: string;

  @IsIn(DELIVERY_STATUSES)
  status!: DeliveryStatus;

  @IsISO8601({ strict: true })
  createdAt!: string;

  @NotNull()
  @IsISO8601({ strict: true })
  deliveredAt!: string | null;

  /** Null unless it is pending. */
  @NotNull()
  @IsISO8601({ strict: true })
  nextAttemptAt!: string | null;

  /** The newest of them, oldest first. */
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => PostbackAttemptView)
  attempts!: PostbackAttemptView[];
}

/** Newest first. */
export class PostbackDeliveryPage {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => PostbackDeliveryView)
  items!: PostbackDeliveryView[];

  /** Null on the last page. */
  @NotNull()
  @IsString()
  @MinLength(1)
  nextCursor!: string | null;

  @IsBoolean()
  hasMore!: boolean;
}

/** Query of a page of deliveries. */
export class ListPostbackDeliveries {
  @Omittable()
  @IsString()
  cursor?: string;

  @Omittable()
  @IsIn(DELIVERY_STATUSES)
  status?: DeliveryStatus;

  /** postback-dispatcher knows the default and the most. */
  @Omittable()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  limit?: number;
}

/** A wish to send deliveries again that were created in a range of time. */
export class ReplayPostbackDeliveries {
  /** Inclusive. */
  @IsISO8601({ strict: true }, { message: 'from must be an ISO 8601 date and time' })
  @Matches(TIME_WITH_ZONE, { message: 'from must be a time with a zone' })
  from!: string;

  /** Exclusive. */
  @IsISO8601({ strict: true }, { message: 'to must be an ISO 8601 date and time' })
  @Matches(TIME_WITH_ZONE, { message: 'to must be a time with a zone' })
  to!: string;

  /** Left out: what was not delivered, which is `failed` and `held`. */
  @IsOptional()
  @IsIn(DELIVERY_STATUSES)
  status?: DeliveryStatus | null;
}

export class ReplayedPostbackDelivery {
  @IsUUID()
  id!: string;
}

export class ReplayedPostbackDeliveries {
  @IsInt()
  @Min(0)
  count!: number;
}

/** What came of a sample that was sent. */
export class PostbackTestResult {
  @IsBoolean()
  delivered!: boolean;

  @NotNull()
  @IsInt()
  @Min(100)
  @Max(999)
  status!: number | null;

  @IsInt()
  @Min(0)
  latencyMs!: number;

  @NotNull()
  @IsString()
  @MinLength(1)
  error!: string | null;

  @NotNull()
  @IsString()
  response!: string | null;
}

/** Shown this once. */
export class RotatedSigningSecret {
  @Matches(/^whsec_[A-Za-z0-9+/]+={0,2}$/)
  signingSecret!: string;
}
