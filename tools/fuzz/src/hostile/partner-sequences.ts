import { setTimeout as delay } from 'node:timers/promises';
import { billingWebhook, purchaseData, refundWebhook } from '@tandem/stack-client';
import { uniqueId } from '../platform/billing';
import { flipped, type Sequence, type StepAnswer, type Steps } from './steps';

const APP = 'partner-gateway';
const PARTNER = '/api/v2/partner';
const VOUCHERS = `${PARTNER}/subscription/vouchers`;

interface NewPartner {
  readonly id: string;
  readonly token: string;
  readonly tokenId: string;
}

const manage = (steps: Steps, request: string, body?: object, expected: readonly number[] = []): Promise<StepAnswer> =>
  steps.send(APP, request, { token: steps.platform.managerToken, body }, expected);

async function newPartner(steps: Steps, kind: 'promotion' | 'voucher'): Promise<NewPartner> {
  const { body: partner } = await manage(steps, 'POST /admin/partners', { name: 'A partner', kind }, [201]);
  const { body: issued } = await manage(
    steps,
    `POST /admin/partners/${partner.id}/tokens`,
    { environment: 'live' },
    [201],
  );
  return { id: partner.id, token: issued.token, tokenId: issued.id };
}

/** Returns how many answers have a status. */
const countOf = (answers: readonly StepAnswer[], status: number): number =>
  answers.filter((answer) => answer.status === status).length;

/** Creates a voucher partner with a voucher group. */
async function newGroup(steps: Steps): Promise<NewPartner & { readonly groupId: string }> {
  const partner = await newPartner(steps, 'voucher');
  const group = { name: 'A group', product: { name: 'Advanced', periodMonths: 12 }, currency: 'USD' };
  const { body } = await manage(steps, `POST /admin/partners/${partner.id}/voucher-groups`, group, [201]);
  return { ...partner, groupId: body.id };
}

export const PARTNER_SEQUENCES: Readonly<Record<string, Sequence>> = {
  'a token that is used, revoked and used again': async (steps) => {
    const { id, token, tokenId } = await newPartner(steps, 'promotion');
    await steps.send(APP, `GET ${PARTNER}/account`, { token }, [200]);
    const during = [
      ...Array.from({ length: 4 }, () => steps.send(APP, `GET ${PARTNER}/sales`, { token }, [200, 401])),
      manage(steps, `DELETE /admin/tokens/${tokenId}`, undefined, [204]),
      ...Array.from({ length: 4 }, () => steps.send(APP, `GET ${PARTNER}/account`, { token }, [200, 401])),
    ];
    await Promise.all(during);
    await steps.send(APP, `GET ${PARTNER}/account`, { token }, [401]);
    await manage(steps, `POST /admin/tokens/${tokenId}/rotate`, { overlapSeconds: 0 }, [409]);
    await manage(steps, `DELETE /admin/tokens/${tokenId}`, undefined, [204]);
    const { body } = await manage(steps, `POST /admin/partners/${id}/tokens`, { environment: 'live' }, [201]);
    const rotations = await steps.atOnce(4, () =>
      manage(steps, `POST /admin/tokens/${body.id}/rotate`, { overlapSeconds: 60 }, [201, 409]),
    );
    steps.check(
      countOf(rotations, 201) === 1,
      'a token does not have exactly one successor',
      rotations.map(({ status }) => status),
    );
    await manage(steps, `PATCH /admin/partners/${id}`, { active: false }, [200]);
    await steps.send(APP, `GET ${PARTNER}/account`, { token: body.token }, [401, 403]);
    await manage(steps, `PATCH /admin/partners/${id}`, { active: true }, [200]);
    await steps.send(APP, `GET ${PARTNER}/account`, { token: body.token }, [200]);
  },

  'vouchers that are created twice, listed and withdrawn': async (steps) => {
    const { token, groupId } = await newGroup(steps);
    const other = await newGroup(steps);
    const key = uniqueId('key');
    const create = (body: object, headers = {}) => steps.send(APP, `POST ${VOUCHERS}`, { token, body, headers });
    const wanted = { voucherGroupId: groupId, count: 7 };
    const twice = await steps.atOnce(4, () => create(wanted, { 'idempotency-key': key }));
    const batches = new Set(twice.filter(({ status }) => status === 201).map(({ body }) => body.batchId));
    steps.check(batches.size <= 1, 'one Idempotency-Key has created two batches', [...batches]);
    await create(wanted, { 'idempotency-key': key });
    const reused = await create({ ...wanted, count: 8 }, { 'idempotency-key': key });
    steps.check(reused.status !== 201, 'a reused Idempotency-Key created vouchers', reused.status);
    await steps.atOnce(3, () => create({ voucherGroupId: groupId, count: 2 }));
    await steps.send(APP, `POST ${VOUCHERS}`, { token, body: { voucherGroupId: other.groupId, count: 1 } }, [404]);
    const list = (query: string, expected: number[]) =>
      steps.send(APP, `GET ${VOUCHERS}?${query}`, { token }, expected);
    const page = await list(`voucherGroupId=${groupId}&limit=3`, [200]);
    const cursor = String(page.body.nextCursor);
    await list(`voucherGroupId=${groupId}&limit=3&cursor=${encodeURIComponent(flipped(cursor, steps.choice))}`, [400]);
    await list(`voucherGroupId=${groupId}&limit=3&status=redeemed&cursor=${encodeURIComponent(cursor)}`, [400]);
    await list(`voucherGroupId=${other.groupId}&cursor=${encodeURIComponent(cursor)}`, [400, 404]);
    await manage(steps, `PATCH /admin/voucher-groups/${groupId}`, { status: 'inactive' }, [200]);
    await list(`voucherGroupId=${groupId}&limit=3&cursor=${encodeURIComponent(cursor)}`, [200, 404]);
    await create({ voucherGroupId: groupId, count: 1 });
    await manage(steps, `PATCH /admin/voucher-groups/${groupId}`, { status: 'active', stock: 0 }, [422]);
    await steps.atOnce(2, () => manage(steps, `PATCH /admin/voucher-groups/${groupId}`, { status: 'active' }, [200]));
    await list(`voucherGroupId=${groupId}&limit=3&cursor=${encodeURIComponent(cursor)}`, [200]);
  },

  'a sale that is reported, revoked and refunded at once': async (steps) => {
    const { id, token } = await newPartner(steps, 'promotion');
    const code = uniqueId('CODE');
    const promotions = await steps.atOnce(3, () =>
      manage(steps, `POST /admin/partners/${id}/promotions`, { code, percentOff: 10 }, [201, 409]),
    );
    steps.check(
      countOf(promotions, 201) === 1,
      'a code does not have exactly one promotion',
      promotions.map(({ body }) => body),
    );
    const subscriptionId = uniqueId('sub');
    const purchase = billingWebhook(
      'purchased',
      purchaseData({ subscriptionId, attribution: { promotionCode: code } }),
    );
    await steps.atOnce(3, () => steps.webhook(purchase));
    const sale = `GET ${PARTNER}/sales/${subscriptionId}`;
    for (let tries = 0; tries < 40; tries++) {
      if ((await steps.send(APP, sale, { token }, [200, 404])).status === 200) break;
      await delay(250);
    }
    const revoke = (subscription: string) =>
      steps.send(APP, `PUT ${PARTNER}/subscription/revoke`, { token, body: { subscriptionId: subscription } });
    const revoked = await Promise.all([
      ...Array.from({ length: 4 }, () => revoke(subscriptionId)),
      steps.webhook(refundWebhook(subscriptionId)),
    ]);
    const times = new Set(revoked.filter(({ body }) => body.revokedAt).map(({ body }) => body.revokedAt));
    steps.check(times.size <= 1, 'a sale was revoked twice', [...times]);
    await revoke(subscriptionId);
    await revoke(uniqueId('unknown'));
    await steps.send(APP, sale, { token }, [200]);
    const page = await steps.send(APP, `GET ${PARTNER}/sales?limit=1`, { token }, [200]);
    const cursor = encodeURIComponent(String(page.body.nextCursor ?? 'none'));
    await steps.send(APP, `GET ${PARTNER}/postback/deliveries?cursor=${cursor}`, { token }, [400]);
    await manage(steps, `GET /admin/sales/${subscriptionId}/story`, undefined, [200]);
  },

  'an endpoint that is set, rotated, tested and paused': async (steps) => {
    const { id, token } = await newPartner(steps, 'promotion');
    const { postbackUrl } = steps.platform.outside;
    const configure = (body: object, expected: number[] = []) =>
      steps.send(APP, `POST ${PARTNER}/postback`, { token, body }, expected);
    await steps.send(APP, `GET ${PARTNER}/postback`, { token }, [404]);
    await steps.send(APP, `POST ${PARTNER}/postback/test`, { token, body: {} }, [404]);
    const body = { url: postbackUrl, authMethod: 'Bearer', key: 'a-key' };
    const created = await steps.atOnce(3, () => configure(body, [200, 201]));
    steps.check(
      countOf(created, 201) === 1,
      'an endpoint was not created exactly once',
      created.map(({ status }) => status),
    );
    await configure({ url: postbackUrl, authMethod: 'Basic' }, [422]);
    await configure({ ...body, url: 'http://169.254.169.254/' }, [422]);
    await steps.atOnce(3, () => steps.send(APP, `POST ${PARTNER}/postback/signing-secret`, { token }, [200]));
    await steps.atOnce(2, () => steps.send(APP, `POST ${PARTNER}/postback/test`, { token }, [200]));
    await steps.send(APP, `POST ${PARTNER}/postback/deliveries/${uniqueId('none')}/replay`, { token }, [404]);
    await manage(steps, `POST /admin/partners/${id}/postback/enable`, {}, []);
    await manage(steps, `PATCH /admin/partners/${id}`, { active: false }, [200]);
    await steps.send(APP, `GET ${PARTNER}/postback`, { token }, [401, 403]);
    await manage(steps, `GET /admin/partners/${id}/postback`, undefined, [200]);
  },

  'a portal link that is opened several times': async (steps) => {
    const { id } = await newPartner(steps, 'promotion');
    const { body: link } = await manage(
      steps,
      `POST /admin/partners/${id}/portal-links`,
      { environment: 'live' },
      [201],
    );
    const code = String(link.url).split('#')[1];
    const open = () => steps.send(APP, `POST ${PARTNER}/portal-session`, { token: code, body: {} }, [201, 401]);
    const opened = await steps.atOnce(4, open);
    steps.check(
      countOf(opened, 201) === 1,
      'a portal code did not open exactly one session',
      opened.map(({ status }) => status),
    );
    const token = String(opened.find(({ status }) => status === 201)?.body.token);
    await steps.send(APP, `GET ${PARTNER}/account`, { token }, [200]);
    await Promise.all([
      ...Array.from({ length: 3 }, () => steps.send(APP, `GET ${PARTNER}/sales`, { token }, [200, 401])),
      ...Array.from({ length: 2 }, () => steps.send(APP, `DELETE ${PARTNER}/portal-session`, { token }, [204, 401])),
    ]);
    await steps.send(APP, `GET ${PARTNER}/account`, { token }, [401]);
    await open();
    await steps.atOnce(2, () => manage(steps, `DELETE /admin/portal-links/${link.id}`, undefined, [204]));
  },

  'an application that is decided several times': async (steps) => {
    const body = { companyName: 'A company', email: `${uniqueId('owner')}@example.com`, kind: 'promotion' };
    const applied = await steps.atOnce(2, () => steps.send(APP, 'POST /api/v2/partner-applications', { body }, [202]));
    const id = applied[0]?.body.id;
    const decided = await Promise.all([
      ...Array.from({ length: 3 }, () =>
        manage(steps, `POST /admin/applications/${id}/approve`, undefined, [201, 409, 404]),
      ),
      manage(steps, `POST /admin/applications/${id}/reject`, { reason: 'no' }, [200, 409, 404, 422]),
    ]);
    steps.check(
      countOf(decided, 201) + countOf(decided, 200) <= 1,
      'an application was decided twice',
      decided.map(({ status }) => status),
    );
    await manage(steps, `POST /admin/applications/${id}/approve`, undefined, [409, 404]);
  },
};
