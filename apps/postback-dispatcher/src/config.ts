import { FieldCipher } from '@tandem/database';
import { WithCallers } from '@tandem/internal-api';
import {
  Base64Keys,
  BaseConfig,
  DevelopmentOnly,
  FieldEncryptionKeys,
  nonEmptyListOf,
  Parsed,
  WholeNumber,
  WithDatabase,
  WithEvents,
} from '@tandem/service-defaults';
import { IsBoolean, IsNumber, Max, Min } from 'class-validator';
import { appOf } from '../../apps';
import { type Network, parseNetwork } from './address/address.rules';

const SECONDS = /^\d+(\.\d+)?$/;

function parseSeconds(text: string): number[] {
  const entries = nonEmptyListOf(text);
  if (!entries.every((entry) => SECONDS.test(entry))) throw new Error('not a number of seconds');
  return entries.map(Number);
}

/** The environment variables of this app. */
export class PostbackDispatcherConfig extends WithCallers(
  WithEvents(WithDatabase(BaseConfig)),
  appOf('postback-dispatcher'),
) {
  /** The first key encrypts partners' keys and signing secrets at rest. Each key in the list decrypts the values that it has encrypted. */
  @FieldEncryptionKeys()
  FIELD_ENCRYPTION_KEYS!: FieldCipher;

  /** The first key signs cursors. A cursor is valid if any key in the list has signed it. */
  @Base64Keys()
  CURSOR_SIGNING_KEYS!: Buffer[];

  /** Development only: allows endpoints at 127.0.0.0/8 and ::1. */
  @IsBoolean()
  @DevelopmentOnly((on) => on === true)
  POSTBACK_ALLOW_LOOPBACK = false;

  /** Development only: a comma-separated list of private CIDRs in which endpoints are allowed, such as the network of containers. */
  @Parsed((text) => nonEmptyListOf(text).map(parseNetwork), 'must be a comma-separated list of CIDRs')
  @DevelopmentOnly((networks) => (networks as readonly Network[]).length > 0)
  POSTBACK_ALLOWED_NETWORKS: Network[] = [];

  /** Whether endpoints must use HTTPS. Only development may turn this off. */
  @IsBoolean()
  @DevelopmentOnly((on) => on === false)
  POSTBACK_REQUIRE_HTTPS = true;

  /** Time limit of a whole attempt, including the answer's body. */
  @WholeNumber(1, 300_000)
  POSTBACK_TIMEOUT_MS = 15_000;

  /** Time limit of DNS lookup, connection and TLS handshake. */
  @WholeNumber(1, 300_000)
  POSTBACK_CONNECT_TIMEOUT_MS = 5_000;

  /**
   * The waits before the attempts. The length of the list is the number of attempts. The first attempt is always due immediately, so the
   * first wait has no effect on it.
   */
  @Parsed(parseSeconds, 'must be a comma-separated list of seconds')
  POSTBACK_RETRY_SCHEDULE_SECONDS = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

  /** An endpoint is disabled when this many of its deliveries in a row have used up their attempts. */
  @WholeNumber(1)
  POSTBACK_DISABLE_AFTER = 20;

  /** How long a replaced signing secret still signs in addition to the new one. */
  @WholeNumber(0)
  POSTBACK_SIGNING_OVERLAP_SECONDS = 86_400;

  /** Maximum requests in flight to one endpoint, unless a manager set another limit for the partner. */
  @WholeNumber(1, 1000)
  POSTBACK_ENDPOINT_CONCURRENCY = 10;

  /** Maximum requests in flight in this process, to all endpoints together. */
  @WholeNumber(1)
  POSTBACK_IN_FLIGHT_MAX = 2_000;

  /** The number of failures in a row after which an endpoint is paused. */
  @WholeNumber(1)
  POSTBACK_BREAKER_THRESHOLD = 5;

  /** The first pause of a failing or overloaded endpoint. Each further pause in a row is twice as long, up to `POSTBACK_BREAKER_MAX_PAUSE_MS`. */
  @WholeNumber(1)
  POSTBACK_BREAKER_PAUSE_MS = 1_000;

  @WholeNumber(1)
  POSTBACK_BREAKER_MAX_PAUSE_MS = 60_000;

  /**
   * The length of a shard's lease. When a process is killed, its deliveries wait at most about this long until another process takes them
   * over.
   */
  @WholeNumber(500, 300_000)
  POSTBACK_LEASE_MS = 4_000;

  /**
   * How often a replica searches the database for changes of which it was not notified in memory: due deliveries, saved configurations and
   * closed sales.
   */
  @WholeNumber(50, 3_600_000)
  POSTBACK_SWEEP_MS = 1_000;

  /** Maximum memory of this process for deliveries, in bytes. All other deliveries stay in the database. */
  @WholeNumber(1_048_576)
  POSTBACK_MEMORY_BYTES = 67_108_864;

  /**
   * A delivery that is delayed by pauses of its endpoint expires (becomes `failed`) this long after the planned time of the last attempt of its
   * retry schedule.
   */
  @WholeNumber(0)
  POSTBACK_EXPIRE_AFTER_SECONDS = 86_400;

  /**
   * An endpoint whose deliveries expire is disabled when two conditions are met: POSTBACK_DISABLE_AFTER deliveries in a row have used up
   * their attempts or expired, and the endpoint has been failing without a success for this long.
   */
  @WholeNumber(0)
  POSTBACK_DISABLE_WITHOUT_SUCCESS_SECONDS = 432_000;

  /** Share of successful attempts that are logged. Failed attempts are always logged. */
  @IsNumber()
  @Min(0)
  @Max(1)
  POSTBACK_LOG_SUCCESS_SAMPLE = 1;

  /** How often this app counts pending, overdue, held and failed deliveries, event lag and dead letters for the metrics. */
  @WholeNumber(100, 3_600_000)
  POSTBACK_MEASURE_MS = 15_000;

  /** A partition of deliveries or attempts is dropped this many days after its end. A partition with pending deliveries is kept. */
  @WholeNumber(1)
  POSTBACK_RETENTION_DAYS = 90;

  /** The number of days that one time partition covers. */
  @WholeNumber(1)
  POSTBACK_PARTITION_DAYS = 7;

  /** Deliveries per page of the log when the request has no limit. */
  @WholeNumber(1, 1_000)
  POSTBACK_PAGE_DEFAULT_LIMIT = 100;

  /** Maximum deliveries per page of the log. The answers in a page of 1,000 deliveries take up to 40 MB. */
  @WholeNumber(1, 1_000)
  POSTBACK_PAGE_MAX_LIMIT = 500;

  /** The maximum number of deliveries that one replay of a range sends. */
  @WholeNumber(1, 1_000_000)
  POSTBACK_REPLAY_MAX = 100_000;
}
