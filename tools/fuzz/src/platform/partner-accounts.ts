import { type Apps, eventually, type Json } from './apps';
import { purchase, uniqueId } from './billing';

/** A partner account, with the ids of its rows. A list is empty if a partner of this kind has no such rows. */
export interface Account {
  readonly id: string;
  readonly token: string;
  readonly testToken: string;
  /** The ids of further tokens, which operations of the manager API may revoke or replace. */
  readonly tokenIds: readonly string[];
  readonly portalLinkIds: readonly string[];
  readonly promotionIds: readonly string[];
  readonly groupIds: readonly string[];
  readonly oids: readonly string[];
  /** The partner's reference (`refId`) of each sale. */
  readonly refIds: readonly string[];
  readonly deliveryIds: readonly string[];
}

/** A new account, which has only credentials. */
type NewAccount = Pick<Account, 'id' | 'token' | 'testToken' | 'tokenIds' | 'portalLinkIds'>;

const APP = 'partner-gateway';
/** The domain of e-mail addresses whose purchases a fraud rule holds. */
const HELD = '@yopmail.com';
/** The buyers of an account's sales: the first sale qualifies, and the other two are held. */
const BUYERS = ['buyer@example.com', `first${HELD}`, `second${HELD}`];

/** Creates partner accounts and their credentials, acting as a manager. */
export class PartnerAccounts {
  constructor(
    private readonly apps: Apps,
    /** Returns the token of a manager. */
    private readonly manager: () => string,
    private readonly postbackUrl: string,
  ) {}

  /** Creates a promotion partner with a sale for each buyer, and waits for the deliveries of its qualifying sales. */
  async promotion(buyers = BUYERS): Promise<Account> {
    const account = await this.partner('promotion');
    const code = uniqueId('CODE');
    const promotion = await this.manage('POST', `/admin/partners/${account.id}/promotions`, { code, percentOff: 20 });
    const { token } = account;
    const configuration = { url: this.postbackUrl, authMethod: 'Bearer', key: 'a-key' };
    await this.apps.call(APP, 'POST', '/api/v2/partner/postback', { body: configuration, token });
    const sales = buyers.map((email) => ({ email, refId: uniqueId('order') }));
    const oids = await Promise.all(
      sales.map(({ email, refId }) =>
        purchase(this.apps, { customer: { email }, attribution: { promotionCode: code, data4: refId } }),
      ),
    );
    const qualifying = buyers.filter((email) => !email.endsWith(HELD)).length;
    const deliveries = await eventually(async () => {
      const page = await this.apps.call(APP, 'GET', '/api/v2/partner/postback/deliveries', { token });
      if (page.items.length < qualifying) throw new Error('some deliveries do not exist yet');
      return page.items as { id: string }[];
    });
    return {
      ...account,
      promotionIds: [promotion.id],
      groupIds: [],
      oids,
      refIds: sales.map(({ refId }) => refId),
      deliveryIds: deliveries.map(({ id }) => id),
    };
  }

  /** Creates a voucher partner with a group of three coupons. */
  async voucher(): Promise<Account> {
    const account = await this.partner('voucher');
    const group = { name: 'A group', product: { name: 'Advanced', periodMonths: 12 }, currency: 'USD' };
    const { id } = await this.manage('POST', `/admin/partners/${account.id}/voucher-groups`, group);
    const { token } = account;
    const body = { voucherGroupId: id, count: 3 };
    await this.apps.call(APP, 'POST', '/api/v2/partner/subscription/vouchers', { body, token });
    return { ...account, promotionIds: [], groupIds: [id], oids: [], refIds: [], deliveryIds: [] };
  }

  /** Applies to become a partner. @returns the id of the application */
  async application(): Promise<string> {
    const body = { companyName: 'A company', email: `${uniqueId('owner')}@example.com`, kind: 'promotion' };
    return (await this.apps.call(APP, 'POST', '/api/v2/partner-applications', { body })).id as string;
  }

  /** Returns a new portal code, which opens one session. */
  async portalCode(partnerId: string, { readOnly = false } = {}): Promise<string> {
    const body = { environment: 'live', readOnly };
    const link = await this.manage('POST', `/admin/partners/${partnerId}/portal-links`, body);
    return String(link.url).split('#')[1] as string;
  }

  /** Opens a portal session. @returns its token */
  async portalSession(partnerId: string, { readOnly = false } = {}): Promise<string> {
    const code = await this.portalCode(partnerId, { readOnly });
    const session = await this.apps.call(APP, 'POST', '/api/v2/partner/portal-session', { body: {}, token: code });
    return session.token as string;
  }

  manage(method: string, path: string, body?: object): Promise<Json> {
    return this.apps.call(APP, method, path, { body, token: this.manager() });
  }

  private async partner(kind: string): Promise<NewAccount> {
    const { id } = await this.manage('POST', '/admin/partners', { name: 'A partner', kind });
    const issued: Json[] = [];
    for (const environment of ['live', 'test', 'live', 'test', 'live']) {
      issued.push(await this.manage('POST', `/admin/partners/${id}/tokens`, { environment }));
    }
    const link = await this.manage('POST', `/admin/partners/${id}/portal-links`, { environment: 'test' });
    const [{ token }, { token: testToken }, ...others] = issued;
    return { id, token, testToken, tokenIds: others.map((one) => one.id), portalLinkIds: [link.id] };
  }
}
