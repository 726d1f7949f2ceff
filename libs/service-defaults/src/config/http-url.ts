import { applyDecorators } from '@nestjs/common';
import { IsUrl } from 'class-validator';
import { DevelopmentOnly } from './development-only';

/** A setting that holds an http or https URL without credentials; host names without a dot are allowed. */
export const IsHttpUrl = (): PropertyDecorator =>
  IsUrl(
    { protocols: ['http', 'https'], require_protocol: true, require_tld: false, disallow_auth: true },
    { message: 'must be an http or https URL without credentials' },
  );

/** A setting that holds the URL of a server outside the platform, without credentials. `staging` and `production` refuse plain HTTP. */
export const IsHttpsUrl = (): PropertyDecorator =>
  applyDecorators(
    IsHttpUrl(),
    DevelopmentOnly((url) => /^http:/i.test(String(url)), { what: 'plain HTTP' }),
  );
