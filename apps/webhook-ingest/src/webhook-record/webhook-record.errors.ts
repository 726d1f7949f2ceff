import { ErrorOf } from '@tandem/http-api';

export class WebhookNotFoundError extends ErrorOf('webhook_not_found', 'There is no stored webhook with this id') {}
