import { IsIn, IsInt, IsNumber, IsOptional, IsString, Max, Min } from 'class-validator';
import { TRACES_SAMPLERS, type TracesSampler } from '@tandem/tracing';
import { IsHttpUrl } from './http-url';
import { NODE_ENVS, type NodeEnv } from './node-env';

/**
 * The environment that every app reads. An app's `config.ts` extends it with the parts that the app needs, for example
 * WithDatabase, WithEvents and WithJwtIssuers.
 */
export class BaseConfig {
  /** `staging` and `production` refuse development settings; `staging` allows the mock routes. */
  @IsIn(NODE_ENVS)
  NODE_ENV: NodeEnv = 'development';

  /** Address to listen on. */
  @IsString()
  HOST = '127.0.0.1';

  /** The port; 0 takes a free one. */
  @IsInt()
  @Min(0)
  @Max(65535)
  PORT = 3000;

  @IsIn(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
  LOG_LEVEL: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' = 'info';

  /**
   * How long a stopping process keeps serving new requests while `/readyz` answers 503, ms. It must be long enough for every
   * load balancer to notice the 503. 0 if there is no load balancer.
   */
  @IsInt()
  @Min(0)
  @Max(600_000)
  SHUTDOWN_DELAY_MS = 0;

  /** Maximum time that a stop waits for work in flight after SHUTDOWN_DELAY_MS, ms. Then the process ends anyway. */
  @IsInt()
  @Min(100)
  @Max(600_000)
  SHUTDOWN_TIMEOUT_MS = 10_000;

  /** The HTTP address of an OTLP collector, for example http://127.0.0.1:4318; spans are recorded only if it is set. */
  @IsOptional()
  @IsHttpUrl()
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;

  /** The app's name in traces. Default: the name of the app. */
  @IsOptional()
  @IsString()
  OTEL_SERVICE_NAME?: string;

  /** Which traces are recorded. Samplers that begin with `parentbased_` obey the sampled flag of a caller's `traceparent`. */
  @IsIn(TRACES_SAMPLERS)
  OTEL_TRACES_SAMPLER: TracesSampler = 'parentbased_always_on';

  /** The share of traces that a `traceidratio` sampler records, 0-1. */
  @IsNumber()
  @Min(0)
  @Max(1)
  OTEL_TRACES_SAMPLER_ARG = 1;
}
