import { Partitioners } from 'kafkajs';
import { partitionOf } from './partition';

describe('the partition of a key', () => {
  it('is the partition that kafkajs computes', () => {
    const partitionMetadata = Array.from({ length: 6 }, (_, partitionId) => ({ partitionId, leader: 1 }));
    const kafka = Partitioners.DefaultPartitioner() as (args: unknown) => number;
    const keys = ['', 'a', 'ab', 'abc', 'abcd', 'sub_0001', 'krn:x:y:user:42', 'größe', '🙂🙃', 'z'.repeat(999)];
    for (let index = 0; index < 500; index++) keys.push(`${index * 7_919}-key-${'ü'.repeat(index % 9)}`);
    for (const key of keys) {
      expect([key, partitionOf(key, 6)]).toEqual([
        key,
        kafka({ topic: 't', partitionMetadata, message: { key, value: null } }),
      ]);
    }
  });
});
