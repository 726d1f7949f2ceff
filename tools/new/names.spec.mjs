import { constant, pascal, topicParts, UsageError } from './names.mjs';

describe('the name of a topic', () => {
  it('consists of an entity, a past participle, and a version if the topic replaces another one', () => {
    expect(topicParts('parcel.created')).toEqual(['parcel', 'created']);
    expect(topicParts('parcel-label.re-printed.v3')).toEqual(['parcel-label', 're-printed', 'v3']);
    expect([pascal('sale.completed.v2'), constant('sale.completed.v2')]).toEqual([
      'SaleCompletedV2',
      'SALE_COMPLETED_V2',
    ]);
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
    it(`must not be ${topic}`, () => {
      expect(() => topicParts(topic)).toThrow(UsageError);
    });
  }
});
