import { type Environment, ENVIRONMENTS } from '@tandem/contracts';
import { CountPostbackReplay, ListPostbackDeliveries } from '@tandem/internal-api';
import { EnumField, KnownParametersOnly } from '@tandem/http-api';

/** Selects the environment: test and live have separate configurations and deliveries. */
@KnownParametersOnly()
export class EnvironmentQuery {
  @EnumField(ENVIRONMENTS, { optional: true, default: 'live' })
  environment: Environment = 'live';
}

export class ListManagedDeliveriesQuery extends ListPostbackDeliveries {
  @EnumField(ENVIRONMENTS, { optional: true, default: 'live' })
  environment: Environment = 'live';
}

export class CountManagedReplayQuery extends CountPostbackReplay {
  @EnumField(ENVIRONMENTS, { optional: true, default: 'live' })
  environment: Environment = 'live';
}
