import { ApiSchema } from '@nestjs/swagger';
import {
  EnumField,
  FlagField,
  IdField,
  IntegerField,
  KnownParametersOnly,
  ListField,
  PageOf,
  TextField,
  TimeField,
} from '@tandem/http-api';
import { postbackConfigurationPath } from './postback-configuration';

/*
 * Internal HTTP for the delivery log, between partner-gateway (caller) and postback-dispatcher (owner of deliveries): see
 * postback-configuration.ts. partner-gateway relays the answers to partners unchanged, so they are also the answers of the partner API.
 */

/** `GET` with {@link ListPostbackDeliveries}: a {@link PostbackDeliveryPage}. */
export const postbackDeliveriesPath = (partnerId: string, environment: string): string =>
  `${postbackConfigurationPath(partnerId, environment)}/deliveries`;

/** `POST` sends a sample to the endpoint: 200 {@link PostbackTestResult}. The call can take as long as an attempt. */
export const postbackTestPath = (partnerId: string, environment: string): string =>
  `${postbackConfigurationPath(partnerId, environment)}/test`;

/** `POST` creates a new signing secret: 200 {@link RotatedSigningSecret}. */
export const postbackSigningSecretPath = (partnerId: string, environment: string): string =>
  `${postbackConfigurationPath(partnerId, environment)}/signing-secret`;

/** `held`: kept for a replay, because there was no enabled configuration. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'held'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** `sale`: the postback of a sale. `closure`: the notice that the sale was refunded or charged back. */
export const DELIVERY_KINDS = ['sale', 'closure'] as const;
export type DeliveryKind = (typeof DELIVERY_KINDS)[number];

/** Whether a text has the form of a delivery's id. */
export const isDeliveryId = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);

const STAGES = 'dns, ssrf_refused, connect, tls, timeout, reset, protocol, body, status';

const AnswerStatus = (): PropertyDecorator =>
  IntegerField({ min: 100, max: 999, nullable: true, description: 'The HTTP status. Null when no answer came' });

/** The first 2,048 bytes of the body of a partner's answer; null if there was no body. */
const AnswerBody = (): PropertyDecorator =>
  TextField({ nullable: true, description: 'The first 2 kB of the endpoint’s answer. Null when it was empty' });

/** One request to the partner's endpoint. */
@ApiSchema({ name: 'PostbackAttemptDto' })
export class PostbackAttemptView {
  @IntegerField({ min: 1, description: 'Starts at 1 and continues when the delivery is replayed' })
  number!: number;

  @TimeField()
  at!: string;

  @AnswerStatus()
  status!: number | null;

  @IntegerField({ min: 0, example: 41 })
  latencyMs!: number;

  @TextField({
    min: 1,
    nullable: true,
    description: `Null for a success. Otherwise the stage that failed (${STAGES}), with a detail in parentheses`,
  })
  error!: string | null;

  @AnswerBody()
  response!: string | null;
}

const ATTEMPTS: readonly PostbackAttemptView[] = [
  {
    number: 1,
    at: '2026-03-01T12:00:00.004Z',
    status: 503,
    latencyMs: 41,
    error: 'status',
    response: 'busy, come back later',
  },
  { number: 2, at: '2026-03-01T12:00:05.262Z', status: 200, latencyMs: 38, error: null, response: null },
];

/** What a partner sees of a delivery. */
@ApiSchema({ name: 'PostbackDeliveryDto' })
export class PostbackDeliveryView {
  @IdField({ description: 'The `webhook-id` of every attempt' })
  id!: string;

  @TextField({ min: 1, example: 'sub-1001', description: 'The id of the sale' })
  oid!: string;

  @EnumField(DELIVERY_KINDS, {
    example: 'sale',
    description: '`sale`: the postback of the sale. `closure`: the notice that the sale was refunded or charged back',
  })
  kind!: DeliveryKind;

  @TextField({
    min: 1,
    nullable: true,
    example: 'order-1',
    description: 'The partner’s own reference, sent as `sharedId` in the postback',
  })
  refId!: string | null;

  @EnumField(DELIVERY_STATUSES, {
    example: 'delivered',
    description: '`held`: no enabled configuration existed when the delivery was due. A replay sends it',
  })
  status!: DeliveryStatus;

  @TimeField()
  createdAt!: string;

  @TimeField({
    nullable: true,
    example: '2026-03-01T12:00:05.310Z',
    description: 'Null unless the status is `delivered`',
  })
  deliveredAt!: string | null;

  @TimeField({ nullable: true, description: 'Null unless the status is `pending`' })
  nextAttemptAt!: string | null;

  @TextField({
    min: 1,
    nullable: true,
    description:
      'Why no more attempts are made, for example `attempts exhausted`, `endpoint gone`, `sale refunded`, `sale charged back`. Null unless the status is `failed`',
  })
  error!: string | null;

  @ListField(() => PostbackAttemptView, { example: ATTEMPTS, description: 'The last 10, oldest first' })
  attempts!: PostbackAttemptView[];
}

@ApiSchema({ name: 'PostbackDeliveryPageDto' })
export class PostbackDeliveryPage extends PageOf(PostbackDeliveryView) {}

/** The query that selects a page of deliveries. */
@KnownParametersOnly()
export class ListPostbackDeliveries {
  @TextField({ optional: true, description: '`nextCursor` of the previous page; valid only with the same filters' })
  cursor?: string;

  @EnumField(DELIVERY_STATUSES, { optional: true })
  status?: DeliveryStatus;

  @EnumField(['true', 'false'], {
    optional: true,
    description: '`true`: only `pending` deliveries with a failed attempt since they were created or last replayed',
  })
  failing?: 'true' | 'false';

  @TextField({ min: 1, max: 255, storable: true, optional: true, description: 'Only the deliveries of this sale' })
  oid?: string;

  @TextField({
    min: 1,
    max: 1024,
    storable: true,
    optional: true,
    description: 'Only deliveries of sales with this reference',
  })
  refId?: string;

  /** The default and the maximum are settings of postback-dispatcher. The values here are the defaults of these settings. */
  @IntegerField({ min: 1, optional: true, fromText: true, schema: { maximum: 500 }, default: 100 })
  limit?: number;
}

/** The outcome of a test send. */
@ApiSchema({ name: 'PostbackTestDto' })
export class PostbackTestResult {
  @FlagField({ example: false, description: 'Whether the endpoint answered with a 2xx in time' })
  delivered!: boolean;

  @AnswerStatus()
  status!: number | null;

  @IntegerField({ min: 0, example: 15_000 })
  latencyMs!: number;

  @TextField({
    min: 1,
    nullable: true,
    example: 'timeout (waiting)',
    description: 'Why the attempt failed, as in the `error` of a delivery’s attempt. Null for a success',
  })
  error!: string | null;

  @AnswerBody()
  response!: string | null;
}

/** A new signing secret, which is shown only once. */
@ApiSchema({ name: 'SigningSecretDto' })
export class RotatedSigningSecret {
  @TextField({
    pattern: /^whsec_[A-Za-z0-9+/]+={0,2}$/,
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    description: 'Shown only this once. For 24 hours, postbacks are also signed with the previous secret',
  })
  signingSecret!: string;
}
