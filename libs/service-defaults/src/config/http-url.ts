import { IsUrl } from 'class-validator';

/** A setting that holds an http or https URL without credentials; names without a dot are fine. */
export const IsHttpUrl = (): PropertyDecorator =>
  IsUrl(
    { protocols: ['http', 'https'], require_protocol: true, require_tld: false, disallow_auth: true },
    { message: 'must be an http or https URL without credentials' },
  );
