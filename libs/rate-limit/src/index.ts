export { RATE_LIMIT_MIGRATIONS } from './rate-limit-migrations';
export * from './rate-limit.module';
export * from './rate-limit.rules';
export { RateLimits } from './rate-limits';
