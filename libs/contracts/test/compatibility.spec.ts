import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { IsISO8601, IsOptional, IsString } from 'class-validator';
import { type EventDefinition, TOPOLOGY } from '../src';
import { breakingChanges, describeBreakingChange } from '../src/compatibility/breaking-changes';
import { isHigher, presentRelease, readRelease, type Topology } from '../src/compatibility/release';

const released = readRelease();

describe('the present events', () => {
  it('break no consumer of the last release (else see "Change an event" in libs/contracts/README.md) [events.breaking-change]', () => {
    const changes = breakingChanges(released, TOPOLOGY);
    expect(changes.map((change) => describeBreakingChange(released.version, change))).toEqual([]);
  });
});

describe('the version of a release', () => {
  it.each([
    ['0.1.1', '0.1.0', true],
    ['0.10.0', '0.9.1', true],
    ['0.1.0', '0.1.0', false],
    ['0.9.9', '0.10.0', false],
  ])('%s is higher than the released %s: %s', (version, released, expected) => {
    expect(isHigher(version, released)).toBe(expected);
  });
});

class Parcel {
  @IsString()
  id!: string;

  @IsISO8601({ strict: true })
  sentAt!: string;
}

class ParcelWithNote extends Parcel {
  @IsOptional()
  @IsString()
  note?: string;
}

class LateParcel {
  @IsString()
  id!: string;
}

const parcels = (data: new () => Parcel, more: Partial<Topology[number]> = {}, key = 'id'): Topology => [
  {
    event: {
      topic: 'parcel.sent',
      data,
      keyOf: (one) => (one as Record<string, string>)[key] ?? '',
    } as EventDefinition<object>,
    publishers: ['depot'],
    consumers: [],
    partitions: 6,
    summary: 'A parcel was sent.',
    key,
    ...more,
  },
];

describe('since a release', () => {
  const sample = { id: 'p1', sentAt: '2025-01-01T00:00:00Z' };
  const { version, topics } = presentRelease('1.0.0', parcels(Parcel));
  const parcelSent = topics['parcel.sent'];
  if (!parcelSent) throw new Error('parcel.sent is not in the release');
  const before = {
    version,
    topics: { 'parcel.sent': { ...parcelSent, samples: { 'parcel.sent.json': { key: 'p1', data: sample } } } },
  };
  const rulesOf = (present: Topology): string[] =>
    breakingChanges(before, present).map(({ field, rule }) => (field ? `${field} ${rule}` : rule));

  it('an added optional field and an added topic break no consumer [events.free-change]', () => {
    const [added] = parcels(Parcel);
    if (!added) throw new Error('no topic');
    const other = { ...added, event: { ...added.event, topic: 'parcel.lost' } };
    expect(rulesOf([...parcels(ParcelWithNote), other])).toEqual([]);
  });

  it('a removed topic breaks its consumers', () => {
    expect(rulesOf([])).toEqual(['topic-removed']);
  });

  it('a removed field breaks its consumers', () => {
    expect(rulesOf(parcels(LateParcel as typeof Parcel))).toEqual(['sentAt field-removed']);
  });

  it('a changed number of partitions breaks the order of the events of a key', () => {
    expect(rulesOf(parcels(Parcel, { partitions: 12 }))).toEqual(['partitions-changed']);
  });

  it('a changed message key breaks the order of the events of an entity [events.old-samples]', () => {
    expect(rulesOf(parcels(Parcel, {}, 'sentAt'))).toEqual(['key-changed']);
  });

  it('a class that refuses a released sample breaks replays [events.old-samples]', () => {
    const wrong = {
      ...before.topics['parcel.sent'],
      samples: { 'parcel.sent.json': { key: 'p1', data: { id: 'p1' } } },
    };
    const [change] = breakingChanges({ version, topics: { 'parcel.sent': wrong } }, parcels(Parcel));
    expect(change).toEqual({
      topic: 'parcel.sent',
      rule: 'sample-refused',
      detail: 'its class refuses parcel.sent.json: sentAt (required)',
    });
  });

  it('each topic has only its own samples, even when a topic that replaces it exists', () => {
    const root = mkdtempSync(path.join(tmpdir(), 'tandem-samples-'));
    mkdirSync(path.join(root, 'samples'));
    for (const file of ['parcel.sent.json', 'parcel.sent.late.json', 'parcel.sent.v2.json'])
      writeFileSync(path.join(root, 'samples', file), JSON.stringify(sample));
    const [old] = parcels(Parcel);
    if (!old) throw new Error('no topic');
    const next = { ...old, event: { ...old.event, topic: 'parcel.sent.v2' } };
    const release = presentRelease('2.0.0', [old, next], root);
    rmSync(root, { recursive: true });
    expect(Object.entries(release.topics).map(([topic, { samples }]) => [topic, Object.keys(samples).sort()])).toEqual([
      ['parcel.sent', ['parcel.sent.json', 'parcel.sent.late.json']],
      ['parcel.sent.v2', ['parcel.sent.v2.json']],
    ]);
  });

  it('the message about a breaking change names the topic, the field and the rule, and says what to do', () => {
    const change = { topic: 'parcel.sent', field: 'sentAt', rule: 'field-removed', detail: 'it was removed' } as const;
    expect(describeBreakingChange('1.0.0', change)).toBe(
      'parcel.sent, field "sentAt": it was removed [field-removed]. Consumers of 1.0.0 rely on it: leave parcel.sent as it was, ' +
        'and publish parcel.sent.v2 alongside it.',
    );
    expect(describeBreakingChange('1.0.0', { ...change, topic: 'parcel.sent.v2' })).toContain('parcel.sent.v3');
  });
});
