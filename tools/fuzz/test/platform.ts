import { issueServiceToken, newWebhookSecret, parseServicePrivateKey } from '@tandem/auth';
import { signedHeaders } from '@tandem/stack-client';
import { eventually, uniqueId } from '@tandem/testing';
import type { FuzzAnswer, FuzzRequest, KnownValues, Operation } from '../src';
import { APPS } from '../../../apps/apps';
import { type Json, RunningApps } from './apps';
import { purchase } from './billing';
import { IdentityUsers } from './identity-users';
import { addLocations } from './vpn-locations';
import { Outside } from './outside';

/** An account with a row of every kind that an operation can concern. */
interface Account {
  readonly id: string;
  readonly token: string;
  readonly tokenIds: readonly string[];
  readonly portalLinkIds: readonly string[];
  readonly promotionIds: readonly string[];
  readonly groupIds: readonly string[];
  readonly oids: readonly string[];
  readonly deliveryIds: readonly string[];
}

/** The sales of an account: one qualifies, two are held. */
const BUYERS = ['buyer@example.com', 'first@yopmail.com', 'second@yopmail.com'];

const PORTAL_SESSION = '/api/v2/partner/portal-session';

/** The running platform with some data, as seen by its callers. */
export class Platform {
  private manager = '';
  private support = '';
  /** A service token without the scope of managers. */
  private stranger = '';
  /** A separate partner for API calls, so that no manager operation of a test can disable it. */
  private callers!: { promotion: Account; voucher: Account };
  /** The rows that the managers' operations concern. */
  private subjects!: { promotion: Account; voucher: Account };

  /** Users of client apps. */
  private users!: IdentityUsers;
  private locationIds: readonly string[] = [];

  private constructor(
    readonly apps: RunningApps,
    private readonly outside: Outside,
  ) {}

  static async start(): Promise<Platform> {
    const outside = await Outside.start();
    let apps: RunningApps | undefined;
    try {
      apps = await RunningApps.start(outside.environment);
      const platform = new Platform(apps, outside);
      await platform.fill();
      return platform;
    } catch (error) {
      await apps?.stop();
      await outside.stop();
      throw error;
    }
  }

  private async fill(): Promise<void> {
    this.manager = await this.outside.token('fuzz', { scope: 'partner:manage' });
    this.support = await this.outside.token('fuzz', { scope: 'support' });
    this.stranger = await this.outside.token('fuzz', { scope: 'payments' });
    this.callers = { promotion: await this.promotionPartner(), voucher: await this.voucherPartner() };
    this.subjects = { promotion: await this.promotionPartner(), voucher: await this.voucherPartner() };
    this.users = await IdentityUsers.start(this.apps, this.outside);
    this.locationIds = await addLocations(this.apps, await this.outside.token('krn:tandem:fuzz:user:vpn'));
  }

  async stop(): Promise<void> {
    await this.apps.stop();
    await this.outside.stop();
  }

  /** Sends a request of the fuzzer to an app. */
  async send(app: string, request: FuzzRequest): Promise<FuzzAnswer> {
    if (app === 'idp-api') await this.users.prepare(request);
    if (app === 'idp-support') await this.users.prepareForSupport(request);
    const response = await fetch(this.apps.urlOf(app) + request.target, {
      method: request.method,
      headers: { ...request.headers, ...(await this.credentialsOf(app, request)) },
      // Sent as bytes, because fetch would add a content type to a string.
      ...(request.body !== undefined && { body: new Uint8Array(Buffer.from(request.body)) }),
    });
    const header = (name: string): string | undefined => response.headers.get(name) ?? undefined;
    return {
      status: response.status,
      contentType: header('content-type'),
      contentTypeOptions: header('x-content-type-options'),
      cacheControl: header('cache-control'),
      text: await response.text(),
    };
  }

  /** Returns the ids of rows that an operation may concern. */
  knownValues({ path }: Operation): KnownValues {
    const ofPartner = path.startsWith('/api/v2/partner') || path.includes('{environment}');
    const { promotion, voucher } = ofPartner ? this.callers : this.subjects;
    const values: Record<string, readonly string[]> = {
      partnerId: [promotion.id, voucher.id],
      voucherGroupId: voucher.groupIds,
      groupId: voucher.groupIds,
      subscriptionId: promotion.oids,
      oid: oidsOf(path, promotion),
      deliveryId: promotion.deliveryIds,
      environment: path.startsWith('/internal') ? ['live', 'live', 'test'] : [],
      from: [daysFromNow(-1)],
      to: [daysFromNow(1)],
      url: [this.outside.postbackUrl, `${this.outside.postbackUrl}-other`],
      id: idsOf(path, promotion, voucher),
      user_id: this.users.krns,
      srts: this.users.receipts,
      location_id: this.locationIds,
      appKey: [this.outside.appKey],
      alertId: this.users.alertIds,
      alertIds: this.users.alertIds,
      dob: ['1984-02-29', '1950-12-31'],
      ssn: ['123456789', '6789'],
      state: ['OR', 'ca'],
    };
    return (name) => (Object.hasOwn(values, name) ? (values[name] ?? []) : []);
  }

  private async credentialsOf(app: string, request: FuzzRequest): Promise<Record<string, string>> {
    const { credentials, target, body = '' } = request;
    if (credentials === 'none') return {};
    if (credentials === 'broken') return { authorization: 'Bearer not.a-token' };
    const good = credentials === 'good';
    if (app === 'webhook-ingest') {
      const { array, payments } = this.apps.secrets;
      return signedHeaders(good ? (target.startsWith('/idp/array') ? array : payments) : newWebhookSecret(), body);
    }
    const isUsers = app === 'idp-api' || app === 'discovery';
    const token = isUsers ? this.users.tokenOf(credentials, request) : await this.tokenFor(app, request, good);
    return { authorization: `Bearer ${token}` };
  }

  private async tokenFor(app: string, { method, target }: FuzzRequest, good: boolean): Promise<string> {
    if (target.startsWith('/internal')) return this.serviceToken(app, target, good ? app : 'another-app');
    if (app === 'idp-support') return good ? this.support : this.stranger;
    if (target.startsWith('/admin')) return good ? this.manager : this.stranger;
    const { promotion, voucher } = this.callers;
    if (good && target.startsWith(PORTAL_SESSION)) return this.portalCredential(method, promotion.id);
    const kind = target.includes('/voucher') ? voucher : promotion;
    return good ? kind.token : kind === voucher ? promotion.token : voucher.token;
  }

  /** Returns a code that opens a session, or the token of a session that can be ended. Each is valid for one call. */
  private async portalCredential(method: string, partnerId: string): Promise<string> {
    const link = await this.manage('POST', `/admin/partners/${partnerId}/portal-links`, { environment: 'live' });
    const code = String(link.url).split('#')[1] as string;
    if (method === 'POST') return code;
    const session = await this.apps.call('partner-gateway', 'POST', PORTAL_SESSION, { body: {}, token: code });
    return session.token as string;
  }

  /** Issues a token of a caller that may use the route. */
  private serviceToken(app: string, target: string, audience: string): Promise<string> {
    const callers = Object.keys(APPS.find(({ name }) => name === app)?.callers ?? {});
    const from = target.startsWith('/internal/support') ? 'idp-support' : (callers.at(-1) as string);
    const privateKey = parseServicePrivateKey(this.apps.secrets.serviceKeys.privateKeyOf(from));
    return issueServiceToken({ privateKey, from, audience, now: new Date() });
  }

  private async promotionPartner(): Promise<Account> {
    const account = await this.partner('promotion');
    const code = uniqueId('CODE');
    const promotion = await this.manage('POST', `/admin/partners/${account.id}/promotions`, { code, percentOff: 20 });
    const configuration = { url: this.outside.postbackUrl, authMethod: 'Bearer', key: 'a-key' };
    const { token } = account;
    await this.apps.call('partner-gateway', 'POST', '/api/v2/partner/postback', { body: configuration, token });
    const sales = BUYERS.map((email) => ({ customer: { email }, attribution: { promotionCode: code } }));
    const oids = await Promise.all(sales.map((sale) => purchase(this.apps, sale)));
    const deliveries = await eventually(async () => {
      const page = await this.apps.call('partner-gateway', 'GET', '/api/v2/partner/postback/deliveries', { token });
      if (page.items.length === 0) throw new Error('the sale does not exist yet');
      return page.items as { id: string }[];
    });
    return {
      ...account,
      promotionIds: [promotion.id],
      groupIds: [],
      oids,
      deliveryIds: deliveries.map(({ id }) => id),
    };
  }

  private async voucherPartner(): Promise<Account> {
    const account = await this.partner('voucher');
    const group = { name: 'A group', product: { name: 'Advanced', periodMonths: 12 }, currency: 'USD' };
    const { id } = await this.manage('POST', `/admin/partners/${account.id}/voucher-groups`, group);
    const { token } = account;
    const body = { voucherGroupId: id, count: 3 };
    await this.apps.call('partner-gateway', 'POST', '/api/v2/partner/subscription/vouchers', { body, token });
    return { ...account, promotionIds: [], groupIds: [id], oids: [], deliveryIds: [] };
  }

  private async partner(kind: string): Promise<Pick<Account, 'id' | 'token' | 'tokenIds' | 'portalLinkIds'>> {
    const { id } = await this.manage('POST', '/admin/partners', { name: 'A partner', kind });
    const issued: Json[] = [];
    for (const environment of ['live', 'live', 'test', 'live']) {
      issued.push(await this.manage('POST', `/admin/partners/${id}/tokens`, { environment }));
    }
    const link = await this.manage('POST', `/admin/partners/${id}/portal-links`, { environment: 'test' });
    const tokenIds = issued.slice(1).map((token) => token.id as string);
    return { id, token: issued[0].token, tokenIds, portalLinkIds: [link.id] };
  }

  private manage(method: string, path: string, body: object): Promise<Json> {
    return this.apps.call('partner-gateway', method, path, { body, token: this.manager });
  }
}

/** Returns ids of the kind of row that `{id}` names in a path. */
function idsOf(path: string, promotion: Account, voucher: Account): readonly string[] {
  if (path.startsWith('/admin/tokens/')) {
    // A token has one successor, so each operation that creates one has its own tokens.
    const own = ({ tokenIds }: Account) => (path.endsWith('/leaked') ? tokenIds.slice(0, 1) : tokenIds.slice(1));
    return [...own(promotion), ...own(voucher)];
  }
  if (path.startsWith('/admin/promotions/')) return promotion.promotionIds;
  if (path.startsWith('/admin/portal-links/')) return [...promotion.portalLinkIds, ...voucher.portalLinkIds];
  if (path.startsWith('/admin/voucher-groups/')) return voucher.groupIds;
  if (path.startsWith('/admin/partners/')) return [promotion.id, voucher.id];
  return path.includes('/deliveries/') ? promotion.deliveryIds : [];
}

/** A held sale can be released or refused once, so each of the two operations has its own. */
function oidsOf(path: string, { oids }: Account): readonly string[] {
  if (path.endsWith('/release')) return oids.slice(1, 2);
  return path.endsWith('/refuse') ? oids.slice(2) : oids;
}

const daysFromNow = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
