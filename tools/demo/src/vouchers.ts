import type { Answer } from './client';
import type { Scene } from './scene';

const SCOPES = ['vouchers:read', 'vouchers:create'];
const PAGE = 10;
const WANTED = 25;
const LOW_STOCK = 5;
const CODE = /^[A-HJ-NP-Z2-9]{4}(-[A-HJ-NP-Z2-9]{4}){3}$/;

interface Coupon {
  id: string;
  code: string;
  status: string;
  redeemedAt: string | null;
}

interface Group {
  id: string;
  issued: number;
  redeemed: number;
  remaining: number | null;
}

/** The highest rate limit that the demo exceeds. If an operator has configured a higher limit, the demo does not try to exceed it. */
const REACHABLE_LIMIT = 50;

const couponsOf = ({ body }: Answer): Coupon[] => body.items as Coupon[];

/** Returns the number of remaining requests, from the `RateLimit` header. */
const leftIn = ({ headers }: Answer): number => Number(/;r=(\d+);t=\d+$/.exec(headers.get('ratelimit') ?? '')?.[1]);

/** Follows a partner that sells coupons: voucher groups, creation, pages, redemption, stock and the rate limit. */
export class VoucherStory {
  private token = '';
  private partnerId = '';
  private groupId = '';
  private lowGroupId = '';
  private coupons: Coupon[] = [];

  constructor(private readonly scene: Scene) {}

  /** @throws when a check does not hold, a request gets no answer, or the redemption is not stored in time */
  async tell(): Promise<void> {
    await this.onboard();
    await this.create();
    await this.page();
    await this.redeem();
    await this.runOut();
    await this.exceedRate();
  }

  private async onboard(): Promise<void> {
    const { scene } = this;
    scene.narrator.chapter('The manager approves a partner for vouchers, with two groups');
    this.partnerId = await scene.createPartner({ name: `Demo vouchers ${scene.run}`, kind: 'voucher' });
    this.groupId = await this.createGroup('live', 'Advanced for a year', null);
    this.lowGroupId = await this.createGroup('live', 'Pro for a year, the last ones', LOW_STOCK);
    this.token = (await scene.issueToken(this.partnerId, 'live', SCOPES)).token;
    const checkout = await scene.partner(this.token, 'GET', '/subscription/create-checkout-url');
    scene.expectRefusal('checkout URLs are for promotion partners only', checkout, 403, 'integration_kind_mismatch');

    const groups = await this.readGroups();
    scene.narrator.equal(
      'the partner sees its two groups, and how many codes are left',
      [groups.length, this.groupIn(groups, this.groupId).remaining, this.groupIn(groups, this.lowGroupId).remaining],
      [2, null, LOW_STOCK],
    );
  }

  private async create(): Promise<void> {
    const { scene } = this;
    const { narrator } = scene;
    narrator.chapter(`The partner creates ${WANTED} codes, and repeats the request as if the answer had been lost`);
    const headers = { 'Idempotency-Key': `order-${scene.run}` };
    const body = { voucherGroupId: this.groupId, count: WANTED };
    const created = await this.post(body, headers);
    scene.expectStatus(created, 201);
    this.coupons = couponsOf(created);
    narrator.equal(
      'the requested number of codes is created',
      [created.body.count, this.coupons.length],
      [WANTED, WANTED],
    );
    narrator.check(
      'each code has 16 symbols, in groups of four',
      this.coupons.every(({ code }) => CODE.test(code)),
    );
    const again = await this.post(body, headers);
    scene.expectStatus(again, 201);
    narrator.equal(
      'the answer to the repeated request is marked as replayed',
      again.headers.get('idempotency-replayed'),
      'true',
    );
    narrator.equal('the replayed answer contains the same batch and the same codes', again.text, created.text);
    const other = await this.post({ ...body, count: 1 }, headers);
    scene.expectRefusal('the key is refused for a different request', other, 422, 'idempotency_key_reused');
    const tooMany = await this.post({ ...body, count: 501 });
    scene.expectStatus(tooMany, 201);
    narrator.equal(
      'a request for more than 500 codes is not refused, but creates 10',
      [tooMany.body.requestedCount, tooMany.body.count],
      [501, 10],
    );
    this.coupons.push(...couponsOf(tooMany));
  }

  private async page(): Promise<void> {
    const { scene } = this;
    const { narrator } = scene;
    narrator.chapter(`The partner pages through its codes, ${PAGE} at a time`);
    const list = `/subscription/vouchers?voucherGroupId=${this.groupId}&limit=${PAGE}`;
    const seen: Coupon[] = [];
    let cursor: unknown = null;
    do {
      const query = cursor === null ? '' : `&cursor=${encodeURIComponent(String(cursor))}`;
      const answer = await scene.partner(this.token, 'GET', `${list}${query}`);
      scene.expectStatus(answer, 200);
      seen.push(...couponsOf(answer));
      const { nextCursor, hasMore } = answer.body;
      narrator.check(
        'there is a cursor exactly when there are more codes',
        hasMore === (nextCursor !== null),
        answer.body,
      );
      cursor = nextCursor ?? cursor;
      if (nextCursor === null) break;
    } while (seen.length < 10 * WANTED);
    const ids = (coupons: Coupon[]): string[] => coupons.map(({ id }) => id).sort();
    narrator.equal('the pages hold each code exactly once', ids(seen), ids(this.coupons));
    narrator.check(
      'all of them are active',
      seen.every(({ status }) => status === 'active'),
    );
    const other = `&status=redeemed&cursor=${encodeURIComponent(String(cursor))}`;
    const mixed = await scene.partner(this.token, 'GET', `${list}${other}`);
    scene.expectRefusal('a cursor is valid only for its own list', mixed, 400, 'invalid_cursor');
  }

  private async redeem(): Promise<void> {
    const { scene } = this;
    const { narrator } = scene;
    narrator.chapter('A customer buys with one of the codes');
    const [coupon] = this.coupons;
    if (!coupon) throw new Error('there is no code to buy with');
    narrator.note('The code is typed in lower case and without hyphens, which is accepted.');
    await scene.buy({ plan: 'advanced', couponCode: coupon.code.replaceAll('-', '').toLowerCase() });
    const path = `/subscription/vouchers?voucherGroupId=${this.groupId}&status=redeemed`;
    await scene.until(`the coupon ${coupon.id} is redeemed`, async () => {
      const { body } = await scene.manager('GET', `/partners/${this.partnerId}/voucher-groups`, { silent: true });
      return this.groupIn(body.items as Group[], this.groupId).redeemed > 0 ? true : undefined;
    });
    const redeemed = await scene.partner(this.token, 'GET', path);
    scene.expectStatus(redeemed, 200);
    narrator.equal(
      'the code is redeemed, and no other one',
      couponsOf(redeemed).map(({ code, status }) => [code, status]),
      [[coupon.code, 'redeemed']],
    );
    narrator.check('the time of the redemption is shown', Boolean(couponsOf(redeemed)[0]?.redeemedAt));
    const { issued, redeemed: count } = this.groupIn(await this.readGroups(), this.groupId);
    narrator.equal('the group counts the redemption', [issued, count], [WANTED + 10, 1]);
  }

  private async runOut(): Promise<void> {
    const { scene } = this;
    const { narrator } = scene;
    narrator.chapter(`The other group has a stock of ${LOW_STOCK}`);
    const headers = { 'Idempotency-Key': `last-${scene.run}` };
    const body = { voucherGroupId: this.lowGroupId, count: LOW_STOCK + 1 };
    const refused = await this.post(body, headers);
    scene.expectRefusal('more than the stock is refused', refused, 409, 'insufficient_stock');
    narrator.equal('no code is created', this.groupIn(await this.readGroups(), this.lowGroupId).issued, 0);
    const made = await this.post({ ...body, count: LOW_STOCK }, headers);
    scene.expectStatus(made, 201);
    narrator.equal('after a failure the key can be used again', made.body.count, LOW_STOCK);
    const { issued, remaining } = this.groupIn(await this.readGroups(), this.lowGroupId);
    narrator.equal('nothing is left', [issued, remaining], [LOW_STOCK, 0]);
    const late = await this.post({ ...body, count: 1 });
    scene.expectRefusal('even one more code is refused', late, 409, 'insufficient_stock');
  }

  /** Exceeds the rate limit with a separate token, so that no request of another step is refused. */
  private async exceedRate(): Promise<void> {
    const { scene } = this;
    const { narrator } = scene;
    narrator.chapter('The partner creates more often than its limit allows, with a test token');
    const { token } = await scene.issueToken(this.partnerId, 'test', SCOPES);
    const groups = await scene.partner(token, 'GET', '/subscription/voucher-group');
    narrator.equal('a test token sees none of the live groups', groups.body.items, []);
    const voucherGroupId = await this.createGroup('test', 'To try with', null);
    const create = (silent = false): Promise<Answer> =>
      scene.partner(token, 'POST', '/subscription/vouchers', { body: { voucherGroupId, count: 1 }, silent });
    const first = await create();
    scene.expectStatus(first, 201);
    const policy = first.headers.get('ratelimit-policy') ?? '';
    const limit = Number(/^"voucher-create";q=(\d+);w=\d+$/.exec(policy)?.[1]);
    narrator.check(`the policy is in the headers: ${policy}`, limit > 0, policy);
    narrator.equal('the headers contain the number of remaining requests', leftIn(first), limit - 1);
    if (limit > REACHABLE_LIMIT) return narrator.note(`A limit of ${limit} is too high to reach it here.`);
    const others: Answer[] = [];
    while (others.length < limit - 1) others.push(await create(true));
    narrator.note(`The same ${others.length} times more: ${others.map(({ status }) => status).join(', ')}`);
    narrator.equal(
      'each request is counted',
      others.map((answer) => [answer.status, leftIn(answer)]),
      others.map((_answer, index) => [201, limit - 2 - index]),
    );
    const refused = await create();
    scene.expectRefusal('the next request is refused', refused, 429, 'rate_limited');
    narrator.check('Retry-After gives the wait', Number(refused.headers.get('retry-after')) > 0);
    const read = await scene.partner(token, 'GET', '/subscription/voucher-group');
    scene.expectStatus(read, 200);
    narrator.note('Read requests have a separate limit.');
  }

  private post(body: object, headers?: Record<string, string>): Promise<Answer> {
    return this.scene.partner(this.token, 'POST', '/subscription/vouchers', { body, headers });
  }

  private async createGroup(environment: 'live' | 'test', name: string, stock: number | null): Promise<string> {
    const product = { name, tier: 'advanced', periodMonths: 12 };
    const body = { name, product, currency: 'USD', environment, stock };
    const created = await this.scene.manager('POST', `/partners/${this.partnerId}/voucher-groups`, { body });
    this.scene.expectStatus(created, 201);
    return String(created.body.id);
  }

  private async readGroups(): Promise<Group[]> {
    const answer = await this.scene.partner(this.token, 'GET', '/subscription/voucher-group');
    this.scene.expectStatus(answer, 200);
    return answer.body.items as Group[];
  }

  private groupIn(groups: Group[], id: string): Group {
    const group = groups.find((candidate) => candidate.id === id);
    if (!group) throw new Error(`the voucher group ${id} is not listed`);
    return group;
  }
}
