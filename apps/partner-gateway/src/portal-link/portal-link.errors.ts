import { ErrorOf } from '@tandem/http-api';

export class PortalLinkNotFoundError extends ErrorOf('not_found', 'There is no such portal link') {}
