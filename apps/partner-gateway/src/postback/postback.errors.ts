import { ErrorOf } from '@tandem/service-defaults';

/** Unknown, too old, or another partner's: they look the same. */
export class DeliveryNotFoundError extends ErrorOf('not_found', 'There is no such delivery') {}
