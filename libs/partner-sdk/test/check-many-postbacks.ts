import assert from 'node:assert/strict';
import type * as Sdk from '../src';
import type { ManyPostbacks } from './many-postbacks';

const ANSWERS = { handled: 200, 'handled before': 200, refused: 401 } as const;

/**
 * Sends the postbacks to an endpoint, one after the other.
 *
 * @returns how many postbacks had each outcome: `handled`, `handled before` and `refused`
 * @throws AssertionError for the first postback that is wrongly accepted or refused, or when a sale was not booked exactly once
 */
export async function checkManyPostbacks(
  { secrets, postbacks }: ManyPostbacks,
  sdk: typeof Sdk,
): Promise<Record<string, number>> {
  const booked: string[] = [];
  let reported = 0;
  const handler = sdk.expressHandler({
    secrets,
    store: new sdk.MemoryStore(),
    onSale: ({ oid }) => void booked.push(oid),
    onError: () => void reported++,
  });
  const counts = { handled: 0, 'handled before': 0, refused: 0 };
  for (const { changes, headers, bodyBase64, expected } of postbacks) {
    const answer = { statusCode: 0, text: '', setHeader: () => undefined, end: (text: string) => (answer.text = text) };
    await handler({ headers: { ...headers }, rawBody: Buffer.from(bodyBase64, 'base64') }, answer);
    assert.equal(answer.statusCode, ANSWERS[expected], `${changes.join(', ') || 'genuine'}: ${answer.text}`);
    if (expected !== 'refused') assert.equal(answer.text, expected, changes.join(', '));
    counts[expected]++;
  }
  const expected = postbacks.filter((postback) => postback.expected === 'handled').map(({ oid }) => oid);
  assert.deepEqual(booked, expected);
  assert.equal(reported, counts.refused);
  return counts;
}
