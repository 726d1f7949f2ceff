import { BaseConfig } from '@tandem/service-defaults';
import { IsInt, IsString, IsUrl, Matches, Max, Min, MinLength } from 'class-validator';

const HTTP_URL = { protocols: ['http', 'https'], require_protocol: true, require_tld: false, disallow_auth: true };
const KEY_LIST = /^[A-Za-z0-9_-]{1,32}:[A-Za-z0-9+/_-]+={0,2}(,\s*[A-Za-z0-9_-]{1,32}:[A-Za-z0-9+/_-]+={0,2})*$/;
/** Shared counts are in 32 bits. */
const MAX_RATE = 1_000_000_000;

/** The environment of idp-api, beside what every app reads. README.md has it as a table. */
export class IdpApiConfig extends BaseConfig {
  /** `iss` of service access tokens. */
  @IsString()
  @MinLength(1)
  JWT_SERVICE_ISSUER!: string;

  @IsUrl(HTTP_URL)
  JWT_SERVICE_JWKS_URL!: string;

  /** `iss` of OpenID access tokens. */
  @IsString()
  @MinLength(1)
  JWT_OPENID_ISSUER!: string;

  @IsUrl(HTTP_URL)
  JWT_OPENID_JWKS_URL!: string;

  /** `aud` that both families must have. */
  @IsString()
  @MinLength(1)
  JWT_AUDIENCE = 'tandem';

  /** `k2:<base64 of 32 bytes>,k1:…`: the first encrypts personal data, all decrypt. */
  @Matches(KEY_LIST, { message: 'must be a comma list of <id>:<base64 of 32 bytes>' })
  FIELD_ENCRYPTION_KEYS!: string;

  /** The identity vendor's API; its paths are appended. */
  @IsUrl(HTTP_URL)
  VENDOR_URL!: string;

  @IsString()
  @MinLength(1)
  VENDOR_APP_KEY!: string;

  @IsString()
  @MinLength(1)
  VENDOR_SERVER_TOKEN!: string;

  /** What a request has for all its calls of the vendor, ms. */
  @IsInt()
  @Min(100)
  @Max(60_000)
  VENDOR_TIMEOUT_MS = 10_000;

  /** A user's requests in a minute, beside those that have a limit of their own. */
  @IsInt()
  @Min(1)
  @Max(MAX_RATE)
  RATE_LIMIT_CLIENT_PER_MINUTE = 60;

  /** A user's create, enroll and token requests in a minute, each counted on its own. */
  @IsInt()
  @Min(1)
  @Max(MAX_RATE)
  RATE_LIMIT_ONBOARDING_PER_MINUTE = 10;

  @IsInt()
  @Min(1)
  @Max(MAX_RATE)
  RATE_LIMIT_DASHBOARD_PER_MINUTE = 20;
}
