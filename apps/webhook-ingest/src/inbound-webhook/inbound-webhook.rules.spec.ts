import { claimOf, eventIdOf } from './inbound-webhook.rules';

describe('claimOf', () => {
  const statement = { subject: 's', content: 'c' };

  it('returns equal delivery keys only for the same integration, webhook-id and content', () => {
    const { deliveryKey } = claimOf('array', statement, 'msg_1');
    expect(claimOf('array', statement, 'msg_1').deliveryKey).toBe(deliveryKey);
    expect(claimOf('array', statement, 'msg_2').deliveryKey).not.toBe(deliveryKey);
    expect(claimOf('array', { ...statement, content: 'd' }, 'msg_1').deliveryKey).not.toBe(deliveryKey);
    expect(claimOf('payments', statement, 'msg_1').deliveryKey).not.toBe(deliveryKey);
    expect(claimOf('array', statement, null).deliveryKey).toBeNull();
  });

  it('returns another subject key for another webhook-id if the statement has `isNewByWebhookId`', () => {
    const again = { ...statement, isNewByWebhookId: true };
    const { subjectKey } = claimOf('array', again, 'msg_1');
    expect(claimOf('array', again, 'msg_1').subjectKey).toBe(subjectKey);
    expect(claimOf('array', again, 'msg_2').subjectKey).not.toBe(subjectKey);
    expect(claimOf('array', again, null).subjectKey).toBe(claimOf('array', statement, null).subjectKey);
  });

  it('returns the same subject key for different content', () => {
    const one = claimOf('array', statement, 'msg_1');
    const other = claimOf('array', { ...statement, content: 'd' }, null);
    expect(other.subjectKey).toBe(one.subjectKey);
    expect(other.content).not.toBe(one.content);
  });
});

describe('eventIdOf', () => {
  const row = { id: 'evt_1', receivedAt: new Date('2026-01-01T00:00:00.123Z') };

  it('returns equal ids only for the same webhook and topic', () => {
    expect(eventIdOf({ ...row }, 'a')).toBe(eventIdOf(row, 'a'));
    expect(eventIdOf(row, 'b')).not.toBe(eventIdOf(row, 'a'));
    expect(eventIdOf({ ...row, id: 'evt_2' }, 'a')).not.toBe(eventIdOf(row, 'a'));
  });
});
