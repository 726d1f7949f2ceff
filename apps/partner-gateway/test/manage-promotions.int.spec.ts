import { shiftClock, uniqueId } from '@tandem/testing';
import { Gateway } from './gateway';

describe('the admin API', () => {
  let gateway: Gateway;
  const auditOf = (entityId: string) =>
    gateway.database.query(`select * from partner.audit_entry where entity_id = $1 order by seq`, [entityId]);

  beforeAll(async () => {
    gateway = await Gateway.start();
  });
  afterAll(() => gateway.stop());

  describe('promotions', () => {
    const create = (id: string, body: object) => gateway.manage('POST', `/admin/partners/${id}/promotions`, body);

    it('are active one at a time for each partner: a new active promotion deactivates the previous one [admin.promotions]', async () => {
      const { id, promotionId } = await gateway.createPartner();
      const { status, body } = await create(id, { code: uniqueId('NEW'), percentOff: 35 });
      expect(status).toBe(201);
      const { items } = (await gateway.manage('GET', `/admin/partners/${id}/promotions`)).body;
      expect(items.map((item: { id: string; active: boolean }) => [item.id, item.active])).toEqual([
        [body.id, true],
        [promotionId, false],
      ]);
      const [created, changed] = await auditOf(promotionId);
      // After a restore from a backup, tools/backup creates and changes promotions again from these entries.
      expect([created, changed]).toMatchObject([
        { action: 'promotion.created', after: { ...items[1], active: true, deactivatedAt: null } },
        { action: 'promotion.changed', after: items[1] },
      ]);
      await gateway.manage('PATCH', `/admin/promotions/${promotionId}`, { active: true });
      const again = (await gateway.manage('GET', `/admin/partners/${id}/promotions`)).body.items;
      expect(again.map((item: { active: boolean }) => item.active)).toEqual([false, true]);
    });

    it('stay active one at a time when many are created concurrently [admin.promotions]', async () => {
      const { id } = await gateway.createPartner();
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => create(id, { code: uniqueId('MANY'), percentOff: 10 })),
      );
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
      const { items } = (await gateway.manage('GET', `/admin/partners/${id}/promotions`)).body;
      expect(items.filter((item: { active: boolean }) => item.active)).toHaveLength(1);
    });

    it('are deactivated at the time of the database’s clock, even if the replica’s clock is wrong [admin.promotions]', async () => {
      const { id, promotionId } = await gateway.createPartner();
      const before = await gateway.database.query<{ now: Date }>('select now()');
      shiftClock(-90_000);
      let inactive;
      let changed;
      try {
        changed = await gateway.manage('PATCH', `/admin/promotions/${promotionId}`, { active: false });
        inactive = await create(id, { code: uniqueId('OFF'), percentOff: 5, active: false });
      } finally {
        jest.useRealTimers();
      }
      const after = await gateway.database.query<{ now: Date }>('select now()');
      const [from, to] = [before, after].map(([row]) => row?.now.getTime() ?? NaN);
      for (const { body } of [changed, inactive]) {
        const at = Date.parse(body.deactivatedAt as string);
        expect(at).toBeGreaterThanOrEqual(from as number);
        expect(at).toBeLessThanOrEqual(to as number);
        const entry = (await auditOf(body.id as string)).at(-1);
        expect(entry?.['after']).toMatchObject({ deactivatedAt: body.deactivatedAt });
      }
    });

    it('have a unique code: a request with a code in use gets 409 and changes nothing [admin.promotions]', async () => {
      const taken = await gateway.createPartner();
      const { id, promotionId } = await gateway.createPartner();
      expect(await create(id, { code: taken.promotionCode.toLowerCase(), percentOff: 5 })).toMatchObject({
        status: 409,
        body: { code: 'promotion_code_taken' },
      });
      const { items } = (await gateway.manage('GET', `/admin/partners/${id}/promotions`)).body;
      expect(items).toMatchObject([{ id: promotionId, active: true }]);
      expect(await auditOf(promotionId)).toHaveLength(1);
    });

    it.each<[object, string]>([
      [{ percentOff: 5 }, 'code'],
      [{ code: 'a b', percentOff: 5 }, 'code'],
      [{ code: 'A', percentOff: 0 }, 'percentOff'],
      [{ code: 'A', percentOff: 101 }, 'percentOff'],
      [{ code: 'A', percentOff: 2.5 }, 'percentOff'],
      [{ code: 'A', percentOff: 5, active: 'yes' }, 'active'],
    ])('are not created from %j', async (body, field) => {
      const { id } = await gateway.createPartner();
      expect(await create(id, body)).toMatchObject({ status: 422, body: { errors: [{ field }] } });
    });

    it('are refused for voucher partners [admin.promotions]', async () => {
      const { id } = await gateway.createPartner({ kind: 'voucher' });
      expect(await create(id, { code: uniqueId('V'), percentOff: 5 })).toMatchObject({
        status: 403,
        body: { code: 'integration_kind_mismatch' },
      });
    });
  });
});
