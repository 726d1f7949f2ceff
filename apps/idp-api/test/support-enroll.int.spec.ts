import { supportEnrollPath } from '@tandem/internal-api';
import { eventually, uniqueId } from '@tandem/testing';
import { activeOf, ended, receipt, SupportCalls } from './support-calls';

describe('an enroll by support', () => {
  let support: SupportCalls;
  beforeAll(async () => {
    support = await SupportCalls.start();
  });
  afterEach(() => support.idp.vendor.faults.clear());
  afterAll(() => support.idp.stop());

  it('enrolls a user without a live subscription in what a receipt grants, with the reason support [support-enroll.receipt]', async () => {
    const user = await support.formerUser();
    const answer = await support.enroll(user, [receipt({ entitlements: ['idp.identity', 'idp.credit', 'vpn'] })]);
    expect(answer.status).toBe(200);
    expect(activeOf(answer)).toEqual(['CREDIT_SCORE', 'IDENTITY_MONITORING']);
    const [{ status_history: history }] = answer.body.enrollments.filter(
      ({ code }: { code: string }) => code === 'CREDIT_SCORE',
    );
    expect(history.map(({ status, reason }: { status: string; reason: string }) => [status, reason])).toEqual([
      ['active', 'enrolled'],
      ['inactive', 'entitlement_lost'],
      ['active', 'support'],
    ]);
    expect(answer.body).toEqual({ enrollments: (await support.read(user)).enrollments });
  });

  it('lasts until the receipt’s subscription ends, even if billing reports the end without a user [support-enroll.lasts]', async () => {
    const user = await support.formerUser();
    const brought = receipt({ entitlements: ['idp.identity', 'idp.removal'] });
    expect(activeOf(await support.enroll(user, [brought]))).toEqual(['DATA_REMOVAL', 'IDENTITY_MONITORING']);
    await support.publish(ended(brought.subscriptionId));
    await eventually(() => expect(support.codes(user)).toEqual([]));
    expect((await support.enroll(user, [brought])).body.code).toBe('entitlements_required');
  });

  it('does not change the entitlements of the user to whom billing assigns the subscription [support-enroll.owner]', async () => {
    const [owner, user] = [await support.enrolledUser(), await support.formerUser()];
    const before = support.codes(owner);
    const { status } = await support.enroll(user, [receipt({ subscriptionId: owner.subscriptionId })]);
    expect(status).toBe(200);
    await support.idp.request('POST', '/me/enroll', owner);
    expect(support.codes(owner)).toEqual(before);
    await support.publish(ended(owner.subscriptionId as string));
    await eventually(() => expect([support.codes(owner), support.codes(user)]).toEqual([[], []]));
  });

  it('is refused without idp.identity, and stores nothing [support-enroll.entitlements]', async () => {
    const user = await support.formerUser();
    const before = await support.stateOf(user);
    for (const receipts of [[], [receipt({ entitlements: ['idp.credit'] })]]) {
      const { status, body } = await support.enroll(user, receipts);
      expect([status, body.code]).toEqual([400, 'entitlements_required']);
    }
    expect(await support.stateOf(user)).toEqual(before);
  });

  it('is refused when the receipt is older than the end of its subscription', async () => {
    const user = await support.formerUser();
    const subscriptionId = uniqueId('sub');
    await support.publish(ended(subscriptionId));
    await eventually(async () =>
      expect(
        await support.idp.database.query('select 1 from idp.subscription_event where subscription_id = $1', [
          subscriptionId,
        ]),
      ).toHaveLength(1),
    );
    const issuedAt = new Date(Date.now() - 60_000).toISOString();
    expect((await support.enroll(user, [receipt({ subscriptionId, issuedAt })])).body.code).toBe(
      'entitlements_required',
    );
  });

  it.each([
    ['error', 502],
    ['hang', 504],
  ] as const)('stores no receipt when the vendor’s verification has the fault %s', async (fault, status) => {
    const user = await support.enrolledUser();
    const before = await support.stateOf(user);
    support.idp.vendor.faults.set('verify', { fault });
    expect((await support.enroll(user, [receipt({ entitlements: ['idp.titles'] })])).status).toBe(status);
    expect(await support.stateOf(user)).toEqual(before);
  });

  it('is refused while the user is locked, and stores no receipt [support-enroll.locked]', async () => {
    const user = await support.lockedUser();
    const { status, body } = await support.enroll(user, [receipt()]);
    expect([status, body.code]).toEqual([403, 'maximum_attempts_reached']);
    expect((await support.stateOf(user)).receipts).toEqual([]);
  });

  it('can be repeated: receipts of the same subscription and time share one row, with all their entitlements', async () => {
    const user = await support.idp.createUser();
    const one = receipt({ entitlements: ['idp.titles'] });
    for (let time = 0; time < 3; time++) expect((await support.enroll(user, [one, one])).status).toBe(200);
    await support.enroll(user, [{ ...one, entitlements: ['idp.credit'] }]);
    const { receipts } = await support.stateOf(user);
    expect(receipts).toHaveLength(1);
    expect([...(receipts[0]?.['entitlements'] as string[])].sort()).toEqual(['idp.credit', 'idp.titles']);
  });

  it('combines the entitlements of two receipts of the same subscription and the same time [support-enroll.receipt]', async () => {
    const user = await support.formerUser();
    const one = receipt({ entitlements: ['idp.identity'] });
    const answer = await support.enroll(user, [one, { ...one, entitlements: ['idp.credit'] }]);
    expect(activeOf(answer)).toEqual(['CREDIT_SCORE', 'IDENTITY_MONITORING']);
    await support.inLine(user);
    expect(support.codes(user)).toEqual(['CREDIT_SCORE', 'IDENTITY_MONITORING']);
  });

  it('refuses an invalid body with validation_failed', async () => {
    const user = await support.idp.createUser();
    const answer = await support.call('POST', supportEnrollPath(user.krn), { receipts: [{ subscriptionId: '' }] });
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed']);
  });
});
