import { RECOUNT_TIMEOUT_MS } from '@tandem/database';
import { SILENCE_MS } from './config';

it('the edge waits long enough for a recount by an app and the apps that it calls [statistics.recount]', () => {
  expect(2 * RECOUNT_TIMEOUT_MS).toBeLessThanOrEqual(SILENCE_MS - 8_000);
});
