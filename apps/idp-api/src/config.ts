import { FieldCipher } from '@tandem/database';
import { WithCallers } from '@tandem/internal-api';
import {
  Base64Key,
  BaseConfig,
  DevelopmentOnly,
  FieldEncryptionKeys,
  IsHttpsUrl,
  OwnSecret,
  WholeNumber,
  WithDatabase,
  WithEvents,
  WithJwtIssuers,
} from '@tandem/service-defaults';
import { IsBoolean, IsString, MinLength } from 'class-validator';
import { appOf } from '../../apps';

/** The largest rate limit that can be configured, because the counters that replicas share have 32 bits. */
const MAX_RATE = 1_000_000_000;
/** The largest value of most settings in seconds: 30 days. */
const MAX_SECONDS = 2_592_000;

/** The environment of idp-api, in addition to what every app reads. README.md lists the variables in a table. */
export class IdpApiConfig extends WithCallers(
  WithJwtIssuers(WithEvents(WithDatabase(BaseConfig)), { service: 'required', openid: 'required' }),
  appOf('idp-api'),
) {
  /** New values of personal data are encrypted with the first key. Values that were encrypted with any of the keys can be decrypted. */
  @FieldEncryptionKeys()
  FIELD_ENCRYPTION_KEYS!: FieldCipher;

  /** The key that hashes e-mail addresses and phone numbers, so that support can find users without decryption. No other app has it. */
  @Base64Key()
  PROFILE_HASH_KEY!: Buffer;

  /** The base URL of the identity vendor's API. */
  @IsHttpsUrl()
  VENDOR_URL!: string;

  @IsString()
  @MinLength(1)
  @OwnSecret()
  VENDOR_APP_KEY!: string;

  @IsString()
  @MinLength(1)
  @OwnSecret()
  VENDOR_SERVER_TOKEN!: string;

  /**
   * In a request that changes a user: the time limit for the wait for the user's lock and all calls to the vendor together, ms. In other
   * requests: the default time limit of each call to the vendor, ms.
   */
  @WholeNumber(100, 60_000)
  VENDOR_TIMEOUT_MS = 10_000;

  /** How long the vendor may still carry out a call after the call failed or the calling process was killed, s. */
  @WholeNumber(1, MAX_SECONDS)
  VENDOR_LATE_WRITE_SECONDS = 60;

  /** How long it takes until every replica of the vendor shows a change, s. */
  @WholeNumber(0, 3_600)
  VENDOR_REPLICATION_SECONDS = 2;

  /** The longest pause after a failed reconciliation of a user with the vendor, s. If a breaker refused a call, the pause is about 5 s. */
  @WholeNumber(1, MAX_SECONDS)
  RECONCILIATION_MAX_PAUSE_SECONDS = 15;

  /** How long a user must wait for the next attempt after the first refused verification of the identity, s. */
  @WholeNumber(1, MAX_SECONDS)
  LOCK_FIRST_WAIT_SECONDS = 900;

  /** How long a user must wait for the next attempt after the second refused verification of the identity, s. */
  @WholeNumber(1, MAX_SECONDS)
  LOCK_SECOND_WAIT_SECONDS = 86_400;

  /** How long a second factor is valid, s. */
  @WholeNumber(1, MAX_SECONDS)
  SECOND_FACTOR_MAX_AGE_SECONDS = 3_600;

  /** The lifetime of a token for the vendor's embedded pages, s. */
  @WholeNumber(1, MAX_SECONDS)
  USER_TOKEN_SECONDS = 900;

  /** How long reading a section of the dashboard may take, ms. A section that takes longer fails; the other sections are not affected. */
  @WholeNumber(100, 60_000)
  DASHBOARD_SECTION_TIMEOUT_MS = 3_000;

  /** Whether users can request sample alerts and scans; meant for staging. If false, the routes for samples do not exist. */
  @IsBoolean()
  @DevelopmentOnly((on) => on === true, { inStaging: true })
  MOCK_ENABLED = false;

  /** The window in which requests are counted, s. Staging and production refuse any value except 60. */
  @WholeNumber(1, 3_600)
  @DevelopmentOnly((seconds) => seconds !== 60)
  RATE_LIMIT_WINDOW_SECONDS = 60;

  /** How many requests a user may make in a window, not counting the requests to which one of the next two limits applies. */
  @WholeNumber(1, MAX_RATE)
  RATE_LIMIT_CLIENT_PER_MINUTE = 60;

  /** How many create, enroll and token requests a user may make in a window. Each of the three kinds is counted separately. */
  @WholeNumber(1, MAX_RATE)
  RATE_LIMIT_ONBOARDING_PER_MINUTE = 10;

  @WholeNumber(1, MAX_RATE)
  RATE_LIMIT_DASHBOARD_PER_MINUTE = 20;
}
