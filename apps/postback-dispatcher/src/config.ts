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

/** This app's environment. */
export class PostbackDispatcherConfig extends WithCallers(
  WithEvents(WithDatabase(BaseConfig)),
  appOf('postback-dispatcher'),
) {
  /** The first key encrypts keys and signing secrets at rest. Every key can decrypt them. */
  @FieldEncryptionKeys()
  FIELD_ENCRYPTION_KEYS!: FieldCipher;

  /** The first key signs cursors. Every key can verify them. */
  @Base64Keys()
  CURSOR_SIGNING_KEYS!: Buffer[];

  /** Development only: allows endpoints at 127.0.0.0/8 and ::1. */
  @IsBoolean()
  @DevelopmentOnly((on) => on === true)
  POSTBACK_ALLOW_LOOPBACK = false;

  /** Development only: a comma-separated list of private CIDRs in which endpoints are allowed, such as the network of containers. */
  @Parsed((text) => nonEmptyListOf(text).map(parseNetwork), 'must be a comma list of CIDRs')
  @DevelopmentOnly((networks) => (networks as readonly Network[]).length > 0)
  POSTBACK_ALLOWED_NETWORKS: Network[] = [];

  /** Whether endpoints must use HTTPS. Only development may turn this off. */
  @IsBoolean()
  @DevelopmentOnly((on) => on === false)
  POSTBACK_REQUIRE_HTTPS = true;

  /** Time limit of a whole attempt, including the answer's body. */
  @WholeNumber(1, 300_000)
  POSTBACK_TIMEOUT_MS = 15_000;

  /** Time limit of look-up, connection and TLS. */
  @WholeNumber(1, 300_000)
  POSTBACK_CONNECT_TIMEOUT_MS = 5_000;

  /** The wait before each attempt. The length of the list is the number of attempts. */
  @Parsed(parseSeconds, 'must be a comma list of seconds')
  POSTBACK_RETRY_SCHEDULE_SECONDS = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

  /** An endpoint is disabled when this many deliveries in a row have used up their attempts. */
  @WholeNumber(1)
  POSTBACK_DISABLE_AFTER = 20;

  /** How long a replaced signing secret still signs. */
  @WholeNumber(0)
  POSTBACK_SIGNING_OVERLAP_SECONDS = 86_400;

  /** Maximum requests in flight to one endpoint, unless a manager set another limit for the partner. */
  @WholeNumber(1, 1000)
  POSTBACK_ENDPOINT_CONCURRENCY = 10;

  /** Maximum requests in flight in this process. The limit bounds memory and sockets. */
  @WholeNumber(1)
  POSTBACK_IN_FLIGHT_MAX = 2_000;

  /** Failures in a row after which an endpoint is paused. */
  @WholeNumber(1)
  POSTBACK_BREAKER_THRESHOLD = 5;

  /** The first pause of a failing or overloaded endpoint. Each further pause in a row is twice as long. */
  @WholeNumber(1)
  POSTBACK_BREAKER_PAUSE_MS = 1_000;

  @WholeNumber(1)
  POSTBACK_BREAKER_MAX_PAUSE_MS = 60_000;

  /** The length of a shard's lease. When a process is killed, its deliveries wait this long for another process. */
  @WholeNumber(500, 300_000)
  POSTBACK_LEASE_MS = 4_000;

  /** How often a replica reads the changes of which it was not notified: due deliveries, saved configurations, closed sales. */
  @WholeNumber(50, 3_600_000)
  POSTBACK_SWEEP_MS = 1_000;

  /** Maximum bytes of deliveries in this process's memory. All other deliveries stay in the database. */
  @WholeNumber(1_048_576)
  POSTBACK_MEMORY_BYTES = 67_108_864;

  /** A delivery of a paused endpoint fails when it could not be attempted for this long after its last planned attempt. */
  @WholeNumber(0)
  POSTBACK_EXPIRE_AFTER_SECONDS = 86_400;

  /**
   * An endpoint whose deliveries expire is disabled when POSTBACK_DISABLE_AFTER deliveries in a row are exhausted or expired, and it has
   * been failing for this long.
   */
  @WholeNumber(0)
  POSTBACK_DISABLE_WITHOUT_SUCCESS_SECONDS = 432_000;

  /** Share of successful attempts that are logged. Failed attempts are always logged. */
  @IsNumber()
  @Min(0)
  @Max(1)
  POSTBACK_LOG_SUCCESS_SAMPLE = 1;

  /** How often the metrics of pending, overdue, held and failed deliveries, of lag and of dead letters are measured. */
  @WholeNumber(100, 3_600_000)
  POSTBACK_MEASURE_MS = 15_000;

  /** Deliveries and attempts older than this are dropped. */
  @WholeNumber(1)
  POSTBACK_RETENTION_DAYS = 90;

  /** The number of days that one time partition covers. */
  @WholeNumber(1)
  POSTBACK_PARTITION_DAYS = 7;

  /** Deliveries per page of the log when the request has no limit. */
  @WholeNumber(1, 10_000)
  POSTBACK_PAGE_DEFAULT_LIMIT = 100;

  @WholeNumber(1, 10_000)
  POSTBACK_PAGE_MAX_LIMIT = 500;

  /** Maximum deliveries per replay of a range. */
  @WholeNumber(1, 1_000_000)
  POSTBACK_REPLAY_MAX = 100_000;
}
