import * as sdk from '../src';
import { checkManyPostbacks } from './check-many-postbacks';
import { manyPostbacks } from './many-postbacks';
import { newSecret, signed } from './signed';

const COUNT = 10_000;
const SEED = Number(process.env['SDK_SEED'] ?? Date.now() % 1_000_000);

describe(`${COUNT} postbacks that are generated from the seed ${SEED}`, () => {
  it('are all correctly accepted or refused, and each genuine sale is booked once', async () => {
    const counts = await checkManyPostbacks(manyPostbacks(COUNT, SEED, Math.floor(Date.now() / 1000)), sdk);
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(1000);
  });
});

describe('a postback', () => {
  it('is refused when it is signed only with a secret that the endpoint no longer has', async () => {
    const [former, next] = [newSecret(), newSecret()];
    const { headers, body } = signed({ secrets: [former] });
    await expect(sdk.verifyPostback(headers, body, [next])).rejects.toMatchObject({ reason: 'signature_mismatch' });
  });
});
