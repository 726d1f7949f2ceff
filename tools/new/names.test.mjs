import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { constant, pascal, topicParts, UsageError } from './names.mjs';

describe('the name of a topic', () => {
  it('has an entity and what happened to it, and a version where it takes the place of another', () => {
    assert.deepEqual(topicParts('parcel.created'), ['parcel', 'created']);
    assert.deepEqual(topicParts('parcel-label.re-printed.v3'), ['parcel-label', 're-printed', 'v3']);
    assert.deepEqual(
      [pascal('sale.completed.v2'), constant('sale.completed.v2')],
      ['SaleCompletedV2', 'SALE_COMPLETED_V2'],
    );
  });

  for (const topic of [
    undefined,
    '',
    'parcel',
    'Parcel.created',
    'parcel.created.v1',
    'parcel.created.2',
    'parcel.created.v2.v3',
  ]) {
    it(`is not ${topic}`, () => {
      assert.throws(() => topicParts(topic), UsageError);
    });
  }
});
