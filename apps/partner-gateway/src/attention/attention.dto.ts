import { ApiSchema, PickType } from '@nestjs/swagger';
import { IntegerField, ListField, ObjectField, TextField } from '@tandem/http-api';
import {
  DisabledEndpoint,
  FailedPostbacksOfEndpoint,
  FailingEndpoint,
  HeldPostbacksOfEndpoint,
  MAX_ATTENTION,
  OpenDeadLetterCount,
  PausedEndpoint,
} from '@tandem/internal-api';
import { ApplicationDto } from '../application/application.dto';
import { ListedSale } from '../managed-sale/managed-sale.dto';

const Count = (description = 'At most 100'): PropertyDecorator =>
  IntegerField({ min: 0, max: MAX_ATTENTION, example: 1, description });
const PartnerName = (): PropertyDecorator => TextField({ nullable: true, example: 'My shop' });

@ApiSchema({ name: 'HeldSale' })
export class HeldSale extends PickType(ListedSale, ['oid', 'partnerId', 'partnerName', 'holdReason', 'soldAt']) {}

@ApiSchema({ name: 'HeldSales' })
export class HeldSales {
  @Count()
  count!: number;

  @ListField(() => HeldSale, { description: 'The newest five' })
  items!: HeldSale[];
}

@ApiSchema({ name: 'PendingApplication' })
export class PendingApplication extends PickType(ApplicationDto, ['id', 'companyName', 'kind', 'createdAt']) {}

@ApiSchema({ name: 'PendingApplications' })
export class PendingApplications {
  @Count()
  count!: number;

  @ListField(() => PendingApplication, { description: 'The newest five' })
  items!: PendingApplication[];
}

@ApiSchema({ name: 'DisabledEndpointOfPartner' })
export class DisabledEndpointOfPartner extends DisabledEndpoint {
  @PartnerName()
  partnerName!: string | null;
}

@ApiSchema({ name: 'DisabledEndpoints' })
export class DisabledEndpointsOfPartners {
  @Count()
  count!: number;

  @ListField(() => DisabledEndpointOfPartner, {
    description:
      'At most five, sorted by the endpoint’s last change or the first of its current failures in a row, whichever is later; newest first',
  })
  items!: DisabledEndpointOfPartner[];
}

@ApiSchema({ name: 'PausedEndpointOfPartner' })
export class PausedEndpointOfPartner extends PausedEndpoint {
  @PartnerName()
  partnerName!: string | null;
}

@ApiSchema({ name: 'PausedEndpoints' })
export class PausedEndpointsOfPartners {
  @Count()
  count!: number;

  @ListField(() => PausedEndpointOfPartner, {
    description: 'At most five: those that have failed for the longest time, longest first',
  })
  items!: PausedEndpointOfPartner[];
}

@ApiSchema({ name: 'FailingEndpointOfPartner' })
export class FailingEndpointOfPartner extends FailingEndpoint {
  @PartnerName()
  partnerName!: string | null;
}

@ApiSchema({ name: 'FailingEndpoints' })
export class FailingEndpointsOfPartners {
  @Count()
  count!: number;

  @ListField(() => FailingEndpointOfPartner, {
    description: 'The five endpoints with the most failing deliveries, highest count first',
  })
  items!: FailingEndpointOfPartner[];
}

@ApiSchema({ name: 'FailedPostbacksOfPartner' })
export class FailedPostbacksOfPartner extends FailedPostbacksOfEndpoint {
  @PartnerName()
  partnerName!: string | null;
}

@ApiSchema({ name: 'FailedPostbacks' })
export class FailedPostbacksOfPartners {
  @Count(
    'At most 100, counted among the newest 1,000 failures of the last 7 days, without sales that were refunded or charged back',
  )
  count!: number;

  @ListField(() => FailedPostbacksOfPartner, {
    description: 'The five partners with the most failures, highest count first',
  })
  items!: FailedPostbacksOfPartner[];
}

@ApiSchema({ name: 'HeldPostbacksOfPartner' })
export class HeldPostbacksOfPartner extends HeldPostbacksOfEndpoint {
  @PartnerName()
  partnerName!: string | null;
}

@ApiSchema({ name: 'HeldPostbacks' })
export class HeldPostbacksOfPartners {
  @Count('At most 100, counted among the newest 1,000 held postbacks of the last 7 days')
  count!: number;

  @ListField(() => HeldPostbacksOfPartner, {
    description: 'The five partners with the most held postbacks, highest count first',
  })
  items!: HeldPostbacksOfPartner[];
}

const UNKNOWN = 'Null while postback-dispatcher cannot be reached';

/** The sales, applications, endpoints, postbacks and dead letters that need the attention of a partner manager. */
@ApiSchema({ name: 'Attention' })
export class Attention {
  @ObjectField(() => HeldSales)
  heldSales!: HeldSales;

  @ObjectField(() => PendingApplications)
  applications!: PendingApplications;

  @ObjectField(() => DisabledEndpointsOfPartners, {
    nullable: true,
    description: `Disabled live endpoints. ${UNKNOWN}`,
  })
  disabledEndpoints!: DisabledEndpointsOfPartners | null;

  @ObjectField(() => PausedEndpointsOfPartners, {
    nullable: true,
    description: `Live endpoints that have failed for at least 5 minutes, and are paused again after each failure. ${UNKNOWN}, or is an older version`,
  })
  pausedEndpoints!: PausedEndpointsOfPartners | null;

  @ObjectField(() => FailingEndpointsOfPartners, {
    nullable: true,
    description: `Active live endpoints whose latest deliveries fail and will be retried: the endpoint is paused, or has accepted no delivery that is newer than the newest failing one. ${UNKNOWN}, or is an older version`,
  })
  failingEndpoints!: FailingEndpointsOfPartners | null;

  @ObjectField(() => HeldPostbacksOfPartners, {
    nullable: true,
    description: `Held postbacks to live endpoints: the partner had no endpoint, or it was disabled. They are sent only by a replay. ${UNKNOWN}, or is an older version`,
  })
  heldPostbacks!: HeldPostbacksOfPartners | null;

  @ObjectField(() => FailedPostbacksOfPartners, {
    nullable: true,
    description: `Failed postbacks to live endpoints. ${UNKNOWN}`,
  })
  failedPostbacks!: FailedPostbacksOfPartners | null;

  @ObjectField(() => OpenDeadLetterCount, { description: 'Events that partner-gateway could not handle' })
  deadLetters!: OpenDeadLetterCount;

  @ObjectField(() => OpenDeadLetterCount, {
    nullable: true,
    description: `Events that postback-dispatcher could not handle. ${UNKNOWN}`,
  })
  postbackDeadLetters!: OpenDeadLetterCount | null;
}
