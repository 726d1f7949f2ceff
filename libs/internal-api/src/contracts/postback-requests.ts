import { ApiSchema } from '@nestjs/swagger';
import {
  EnumField,
  FlagField,
  IdField,
  IntegerField,
  KnownParametersOnly,
  ListField,
  ObjectField,
  TextField,
  TimeField,
} from '@tandem/http-api';
import { postbackConfigurationPath } from './postback-configuration';
import { DELIVERY_KINDS, type DeliveryKind } from './postback-deliveries';

/*
 * Internal HTTP for the requests that deliveries send, between partner-gateway (caller) and postback-dispatcher (owner of deliveries).
 * Partners listen to these requests. Answers are relayed to partners unchanged.
 */

/** `GET` with {@link ListenToPostbacks}: a {@link PostbackRequestPage}. */
export const postbackRequestsPath = (partnerId: string, environment: string): string =>
  `${postbackConfigurationPath(partnerId, environment)}/requests`;

/** The query that selects a page of requests. */
@KnownParametersOnly()
export class ListenToPostbacks {
  @TextField({
    optional: true,
    description:
      '`nextCursor` of the previous answer. Default: start at `since` or, if that is omitted, with the next postback',
  })
  cursor?: string;

  @TimeField({
    optional: true,
    description:
      'Return the postbacks of the last 90 days that were created at this time or later. Ignored if `cursor` is given',
  })
  since?: string;

  @IntegerField({
    min: 1,
    max: 100,
    optional: true,
    fromText: true,
    default: 100,
    description: 'Maximum number of items in a page',
  })
  limit = 100;
}

/** The headers of a request that are the same in each attempt, and contain no secret. */
@ApiSchema({ name: 'PostbackRequestHeaders' })
export class PostbackRequestHeaders {
  @TextField({ example: 'application/json' })
  'content-type'!: string;

  @TextField({ example: 'Tandem-Postback/1.0' })
  'user-agent'!: string;

  @IdField({ description: 'The id of the delivery' })
  'webhook-id'!: string;

  @TextField({ optional: true, example: 'test' })
  'x-environment'?: string;

  @TextField({ optional: true, example: 'sale.closed', description: 'Only in the notice of a refund or chargeback' })
  'x-event'?: string;
}

/** The request of a delivery, as the partner's endpoint gets it or would get it. */
@ApiSchema({ name: 'PostbackRequest' })
export class PostbackRequestView {
  @IdField({ description: 'The id of the delivery, which is the `webhook-id`' })
  id!: string;

  @EnumField(DELIVERY_KINDS, {
    example: 'sale',
    description: '`sale`: the postback of a sale. `closure`: the notice that a sale was refunded or charged back',
  })
  kind!: DeliveryKind;

  @TextField({ min: 1, example: 'sub-1001', description: 'The id of the sale' })
  oid!: string;

  @TimeField()
  createdAt!: string;

  @ObjectField(() => PostbackRequestHeaders, {
    description:
      'All headers that the platform sends, except `Authorization`, which contains your key, and `webhook-timestamp` and `webhook-signature`, which differ in each attempt',
  })
  headers!: PostbackRequestHeaders;

  @TextField({ example: '{"oid":"sub-1001","sharedId":"order-1",…}', description: 'The body, exactly as it is sent' })
  body!: string;
}

/** A page of requests, the oldest first. */
@ApiSchema({ name: 'PostbackRequestPage' })
export class PostbackRequestPage {
  @ListField(() => PostbackRequestView)
  items!: PostbackRequestView[];

  @TextField({ description: 'Pass it as `cursor` in the next call. Always present' })
  nextCursor!: string;

  @FlagField({ example: false, description: 'Whether more requests are already available' })
  hasMore!: boolean;
}
