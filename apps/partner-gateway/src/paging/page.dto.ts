import { IntegerField, KnownParametersOnly, TextField } from '@tandem/http-api';

/** The paging parameters of lists in the managers' API, except the list of deliveries. */
@KnownParametersOnly()
export class PageQuery {
  @TextField({ optional: true, description: '`nextCursor` of the previous page of the same list' })
  cursor?: string;

  @IntegerField({ min: 1, max: 200, optional: true, fromText: true, default: 50 })
  limit = 50;
}
