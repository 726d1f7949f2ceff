import { applyDecorators } from '@nestjs/common';
import { IsUrl } from 'class-validator';
import { DevelopmentOnly } from './development-only';

/** A setting that holds an http or https URL without credentials; names without a dot are fine. */
export const IsHttpUrl = (): PropertyDecorator =>
  IsUrl(
    { protocols: ['http', 'https'], require_protocol: true, require_tld: false, disallow_auth: true },
    { message: 'must be an http or https URL without credentials' },
  );

/** The same for a server outside the platform: plain HTTP is for development only. */
export const IsHttpsUrl = (): PropertyDecorator =>
  applyDecorators(
    IsHttpUrl(),
    DevelopmentOnly((url) => /^http:/i.test(String(url)), { what: 'plain HTTP' }),
  );
