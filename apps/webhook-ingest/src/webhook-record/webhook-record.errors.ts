import { ErrorOf } from '@tandem/service-defaults';

export class WebhookNotFoundError extends ErrorOf('webhook_not_found', 'There is no stored webhook with this id') {}
