import { derivedEventId, isUuid, newEventId, timedEventId } from './uuid';

describe('event ids', () => {
  it('are UUIDs of version 7 that sort by time', () => {
    const ids = [1, 2, 3].map((minute) => newEventId(Date.UTC(2026, 4, 4, 10, minute)));
    expect(ids.every((id) => isUuid(id) && id[14] === '7' && '89ab'.includes(id[19] as string))).toBe(true);
    expect([...ids].sort()).toEqual(ids);
  });

  it('all differ when they are created at the same time, across many pools of random bytes', () => {
    const ids = Array.from({ length: 2_000 }, () => newEventId(0));
    expect(new Set(ids).size).toBe(2_000);
  });

  it('are equal if they are derived from equal parts, and differ if only the concatenation of the parts is equal', () => {
    expect(derivedEventId('topic', '1', '17')).toBe(derivedEventId('topic', '1', '17'));
    expect(derivedEventId('topic', '11', '7')).not.toBe(derivedEventId('topic', '1', '17'));
    expect(isUuid(derivedEventId('topic', '1', Buffer.from([0xff])))).toBe(true);
  });

  it('are equal if they are derived from equal times and parts, and sort by time', () => {
    const at = new Date('2026-01-01T00:00:00.123Z');
    expect(timedEventId(at, 'a', 'b')).toBe(timedEventId(new Date(at), 'a', 'b'));
    expect(timedEventId(at, 'ab')).not.toBe(timedEventId(at, 'a', 'b'));
    expect(timedEventId(at, 'a') < timedEventId(new Date(at.getTime() + 1), 'a')).toBe(true);
    expect(isUuid(timedEventId(at, 'a'))).toBe(true);
  });
});
