import { ApiSchema, OmitType } from '@nestjs/swagger';
import { EnumField, FlagField, IntegerField, TextField, TimeField } from '@tandem/http-api';

/**
 * Internal HTTP between partner-gateway (caller) and postback-dispatcher (owner of postback configurations).
 * The edge never serves these paths; calls carry a service token (audience `postback-dispatcher`). Errors are
 * problem+json with the codes of the partner API, except `delivery_not_found`, for which partners get `not_found`.
 */

/** Path of one partner's configuration: `GET` reads it, `PUT` creates (201) or changes it (200). */
export const postbackConfigurationPath = (partnerId: string, environment: string): string =>
  `/internal/postback-configurations/${encodeURIComponent(partnerId)}/${environment}`;

/** `GET` reads the configuration as a manager sees it: 200 {@link PostbackEndpointStatus}. */
export const postbackStatusPath = (partnerId: string, environment: string): string =>
  `${postbackConfigurationPath(partnerId, environment)}/status`;

/** `POST` enables the configuration again: 200 {@link PostbackEndpointStatus}. May be repeated. */
export const postbackEnablePath = (partnerId: string, environment: string): string =>
  `${postbackConfigurationPath(partnerId, environment)}/enable`;

/** How the platform authenticates itself to a partner's endpoint. */
export const POSTBACK_AUTH_METHODS = ['Bearer', 'Basic'] as const;
export type PostbackAuthMethod = (typeof POSTBACK_AUTH_METHODS)[number];

/** What a partner sends to save its configuration. */
@ApiSchema({ name: 'SavePostbackBody' })
export class SavePostbackConfiguration {
  @TextField({
    format: 'uri',
    max: 2048,
    storable: true,
    example: 'https://partner.example.com/sales',
    description: 'Where postbacks are sent: https, a public address, no credentials and no fragment',
  })
  url!: string;

  @EnumField(POSTBACK_AUTH_METHODS)
  authMethod!: PostbackAuthMethod;

  @TextField({
    optional: true,
    nullable: true,
    schema: { minLength: 1, maxLength: 512 },
    description:
      'Bearer: 1 to 512 visible ASCII characters. Basic: `user:password`, at most 512 bytes of UTF-8. Omitted or null: the stored key is kept. Required for the first save, and when `authMethod` changes',
  })
  key?: string | null;

  @FlagField({
    optional: true,
    description:
      'Whether you get a notice when a sale is refunded or charged back after your endpoint accepted its postback, or may have accepted it without the platform receiving the answer. Initially false. Omitted: the current value is kept',
  })
  notifyClosures?: boolean;
}

/** What a partner sees of its configuration: never the key. */
@ApiSchema({ name: 'PostbackConfiguration' })
export class PostbackConfigurationView {
  @TextField({ format: 'uri', example: 'https://partner.example.com/sales' })
  url!: string;

  @EnumField(POSTBACK_AUTH_METHODS)
  authMethod!: PostbackAuthMethod;

  @FlagField()
  hasKey!: boolean;

  @EnumField(['active', 'disabled'])
  status!: 'active' | 'disabled';

  @TextField({
    optional: true,
    description: 'Why the configuration is disabled. New deliveries are held while it is disabled',
  })
  disabledReason?: string;

  @FlagField()
  signingEnabled!: boolean;

  @FlagField({ example: false, description: 'Whether you are notified when a sale is refunded or charged back' })
  notifyClosures!: boolean;

  @TimeField({
    nullable: true,
    description: 'Nothing is sent before this time, because attempts failed. Null: not paused',
  })
  pausedUntil!: string | null;

  @TimeField()
  createdAt!: string;

  @TimeField()
  updatedAt!: string;

  @TextField({
    optional: true,
    description: 'The secret for verifying the signatures of postbacks. Present only in the answer to the creation.',
  })
  signingSecret?: string;
}

/** What a manager sees of a configuration: never the key, never a secret. */
@ApiSchema({ name: 'PostbackStatus' })
export class PostbackEndpointStatus extends OmitType(PostbackConfigurationView, ['signingSecret']) {}

/** Path of the limits of a partner's endpoints: `PUT` with {@link EndpointLimits} sets them; may be repeated. */
export const endpointLimitsPath = (partnerId: string): string =>
  `/internal/partners/${encodeURIComponent(partnerId)}/endpoint-limits`;

/** Limits that a manager sets for each endpoint of a partner, live and test. */
export class EndpointLimits {
  @IntegerField({
    min: 1,
    max: 1000,
    nullable: true,
    description:
      'The maximum number of concurrent postbacks to each of the partner’s endpoints. Null: the default of the platform',
  })
  concurrency!: number | null;
}

/**
 * The answer to a `PUT` of {@link EndpointLimits}: the saved limits. The revision grows with each save, so that the newest of several
 * answers can be identified.
 */
export class SavedEndpointLimits {
  @IntegerField({ min: 1, max: 1000, nullable: true })
  concurrency!: number | null;

  @IntegerField({ min: 0 })
  revision!: number;
}
