import { RECOUNT_TIMEOUT_MS } from '@tandem/database';
import { SILENCE_MS } from './config';

it('the edge waits at least 8 s longer than two recounts in a row can take [statistics.recount]', () => {
  expect(2 * RECOUNT_TIMEOUT_MS).toBeLessThanOrEqual(SILENCE_MS - 8_000);
});
