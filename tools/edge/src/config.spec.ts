import { RECOUNT_TIMEOUT_MS } from '@tandem/database';
import { SILENCE_MS } from './config';

it('an app has time to recount its statistics and those of the apps that it calls [statistics.recount]', () => {
  expect(2 * RECOUNT_TIMEOUT_MS).toBeLessThanOrEqual(SILENCE_MS - 8_000);
});
