import { ApiSchema, PickType } from '@nestjs/swagger';
import { type Environment, ENVIRONMENTS } from '@tandem/contracts';
import { EnumField, KnownParametersOnly, ListField, ObjectField, TextField, TimeField } from '@tandem/http-api';
import { DeadLetterView, PostbackDeliveryView, PostbackEndpointStatus } from '@tandem/internal-api';
import { PARTNER_ID, PartnerDto } from '../partner/partner.dto';
import { SaleDto } from '../sale/sale.dto';

/** The possible verdicts about a sale. */
export const SALE_VERDICTS = [
  'delivered',
  'waiting',
  'failing',
  'disabled',
  'not_configured',
  'refunded',
  'given_up',
  'held_delivery',
  'held',
  'refused',
  'unattributed',
  'another_partner',
  'payment_pending',
  'failed',
  'refunded_before_purchase',
  'dead_letter',
  'on_its_way',
  'dispatcher_unavailable',
  'unknown',
] as const;
export type SaleVerdict = (typeof SALE_VERDICTS)[number];

/** The possible next steps of a manager or an operator. */
export const SALE_STEPS = [
  'release_sale',
  'refuse_sale',
  'enable_postback',
  'replay_delivery',
  'replay_dead_letter',
  'show_partner',
  'list_promotions',
  'list_unattributed_sales',
  'list_dead_letters',
  'check_app',
  'read_logs',
] as const;

@ApiSchema({ name: 'SaleStep' })
export class SaleStep {
  @EnumField(SALE_STEPS, { example: 'replay_delivery' })
  step!: (typeof SALE_STEPS)[number];

  @TextField({ optional: true, example: 'sub-1001', description: 'Present for a step about the sale or its logs' })
  oid?: string;

  @TextField({ optional: true, example: PARTNER_ID, description: 'Present for a step about a partner' })
  partnerId?: string;

  @EnumField(ENVIRONMENTS, { optional: true, description: 'Present for a step about a partner’s postbacks' })
  environment?: Environment;

  @TextField({ optional: true, format: 'uuid', description: 'Present for `replay_delivery`' })
  deliveryId?: string;

  @TextField({ optional: true, example: 'postback-dispatcher', description: 'Present for a step about an app' })
  app?: string;

  @TextField({ optional: true, example: '17', description: 'Present for `replay_dead_letter`' })
  deadLetterId?: string;
}

@KnownParametersOnly()
export class SaleStoryQuery {
  @TextField({
    min: 1,
    max: 255,
    storable: true,
    optional: true,
    description:
      'The partner that is expected to own the sale. If another partner owns it, the verdict is `another_partner`',
  })
  partnerId?: string;
}

@ApiSchema({ name: 'PartnerOfSale' })
class PartnerOfSale extends PickType(PartnerDto, ['id', 'name', 'active']) {}

/** Who performed an action on a sale, and when. */
class ManagersAct {
  @TimeField()
  at!: Date;

  @TextField({ example: 'manager-1', description: 'The subject of the manager’s token' })
  actor!: string;
}

/** When a held sale was released or refused, and by whom. */
@ApiSchema({ name: 'DecisionOnSale' })
class DecisionOnSale extends ManagersAct {}

/** When a postback was sent again on request, and by whom. */
@ApiSchema({ name: 'ReplayOfPostback' })
class ReplayOfPostback extends ManagersAct {}

/** Everything that is known about a sale and its postback, with the reason for the sale's state and the next steps. */
export class SaleStory {
  @TextField({ example: 'sub-1001' })
  oid!: string;

  @EnumField(SALE_VERDICTS, { example: 'given_up' })
  verdict!: SaleVerdict;

  @TextField({
    example: 'every attempt failed, the last with status 503: replay the postback when the endpoint works again',
  })
  reason!: string;

  @ListField(() => SaleStep, { description: 'The most helpful step first' })
  next!: SaleStep[];

  @ObjectField(() => SaleDto, { nullable: true, description: 'Null when no purchase or refund with this id is known' })
  sale!: SaleDto | null;

  @ObjectField(() => DecisionOnSale, {
    nullable: true,
    description:
      'When a manager released or refused the held sale, and who. `sale` contains `holdDecision` and `holdNote`. Null if there is no decision',
  })
  decision!: DecisionOnSale | null;

  @ObjectField(() => PartnerOfSale, { nullable: true, description: 'Null when the purchase is not a partner’s sale' })
  partner!: PartnerOfSale | null;

  @ObjectField(() => PostbackEndpointStatus, {
    nullable: true,
    description:
      'The partner’s endpoint. Null when it is not configured, or when postback-dispatcher was not asked or did not answer',
  })
  endpoint!: PostbackEndpointStatus | null;

  @ObjectField(() => PostbackDeliveryView, { nullable: true, description: 'The postback with its attempts' })
  delivery!: PostbackDeliveryView | null;

  @ObjectField(() => PostbackDeliveryView, {
    nullable: true,
    description:
      'The notice to the partner of the last refund or chargeback of the sale, with its attempts. Null if there is none: `endpoint.notifyClosures` says whether the partner receives notices',
  })
  notice!: PostbackDeliveryView | null;

  @ListField(() => ReplayOfPostback, {
    description:
      'Replays of this postback by managers: the last 10, newest first. Replays of a time range, and replays by the partner, are not listed',
  })
  replays!: ReplayOfPostback[];

  @ListField(() => DeadLetterView, {
    description: 'Events about the sale that partner-gateway or postback-dispatcher could not handle, newest first',
  })
  deadLetters!: DeadLetterView[];

  @TextField({
    nullable: true,
    description: 'Why postback-dispatcher did not answer. Null when it did, or was not asked',
  })
  dispatcherFailure!: string | null;
}
