import { PostbackDispatcherConfig } from '../src/config';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

describe('the documented defaults', () => {
  const config = new PostbackDispatcherConfig();

  it.each<[keyof PostbackDispatcherConfig, unknown]>([
    ['POSTBACK_TIMEOUT_MS', 15_000],
    ['POSTBACK_CONNECT_TIMEOUT_MS', 5_000],
    [
      'POSTBACK_RETRY_SCHEDULE_SECONDS',
      [0, 5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
    ],
    ['POSTBACK_DISABLE_AFTER', 20],
    ['POSTBACK_EXPIRE_AFTER_SECONDS', 24 * HOUR],
    ['POSTBACK_DISABLE_WITHOUT_SUCCESS_SECONDS', 5 * 24 * HOUR],
    ['POSTBACK_SIGNING_OVERLAP_SECONDS', 24 * HOUR],
    ['POSTBACK_PAGE_DEFAULT_LIMIT', 100],
    ['POSTBACK_PAGE_MAX_LIMIT', 500],
    ['POSTBACK_REPLAY_MAX', 100_000],
    ['POSTBACK_RETENTION_DAYS', 90],
    ['POSTBACK_REQUIRE_HTTPS', true],
    ['POSTBACK_ALLOW_LOOPBACK', false],
  ])(
    '%s is %s [interface.numbers-are-configuration, delivery.timeout, delivery.connect-timeout, delivery.schedule, delivery.exhausted, delivery.paused-ends, delivery.failing-disables]',
    (name, value) => {
      expect(config[name]).toEqual(value);
    },
  );
});
