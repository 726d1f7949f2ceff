import { type Environment, ENVIRONMENTS } from '@tandem/contracts';
import { CountPostbackReplay, ListPostbackDeliveries } from '@tandem/internal-api';
import { EnumField, KnownParametersOnly } from '@tandem/http-api';

const EnvironmentField = () => EnumField(ENVIRONMENTS, { optional: true, default: 'live' });

/** Selects the environment: test and live have separate configurations and deliveries. */
@KnownParametersOnly()
export class EnvironmentQuery {
  @EnvironmentField()
  environment: Environment = 'live';
}

export class ListManagedDeliveriesQuery extends ListPostbackDeliveries {
  @EnvironmentField()
  environment: Environment = 'live';
}

export class CountManagedReplayQuery extends CountPostbackReplay {
  @EnvironmentField()
  environment: Environment = 'live';
}
