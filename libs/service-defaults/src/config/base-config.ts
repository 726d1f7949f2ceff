import { IsIn, IsInt, IsString, Max, Min } from 'class-validator';

/**
 * The environment that every app reads; an app's `config.ts` extends it, with the parts that the app needs (WithDatabase,
 * WithEvents, WithJwtIssuers), and is the only reader of `process.env`.
 */
export class BaseConfig {
  @IsIn(['development', 'test', 'production'])
  NODE_ENV: 'development' | 'test' | 'production' = 'development';

  /** Address to listen on. */
  @IsString()
  HOST = '127.0.0.1';

  /** 0 takes a free one. */
  @IsInt()
  @Min(0)
  @Max(65535)
  PORT = 3000;

  @IsIn(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
  LOG_LEVEL: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' = 'info';

  /**
   * How long a process that is to stop still serves new requests, ms, while `/readyz` answers 503: until every load balancer has
   * noticed. 0 where nothing balances over replicas.
   */
  @IsInt()
  @Min(0)
  @Max(600_000)
  SHUTDOWN_DELAY_MS = 0;

  /** How long a stop then waits for work in flight, ms; after that the process ends anyway. */
  @IsInt()
  @Min(100)
  SHUTDOWN_TIMEOUT_MS = 10_000;
}
