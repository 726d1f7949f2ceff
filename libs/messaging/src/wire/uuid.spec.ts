import { derivedEventId, isUuid, newEventId } from './uuid';

describe('event ids', () => {
  it('are UUIDs of version 7 that sort by time', () => {
    const ids = [1, 2, 3].map((minute) => newEventId(Date.UTC(2026, 4, 4, 10, minute)));
    expect(ids.every((id) => isUuid(id) && id[14] === '7' && '89ab'.includes(id[19] as string))).toBe(true);
    expect([...ids].sort()).toEqual(ids);
  });

  it('are equal for the same message, and differ for other parts with the same concatenation', () => {
    expect(derivedEventId('topic', '1', '17')).toBe(derivedEventId('topic', '1', '17'));
    expect(derivedEventId('topic', '11', '7')).not.toBe(derivedEventId('topic', '1', '17'));
    expect(isUuid(derivedEventId('topic', '1', Buffer.from([0xff])))).toBe(true);
  });
});
