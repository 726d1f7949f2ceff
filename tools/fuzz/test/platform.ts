import { randomUUID } from 'node:crypto';
import { issueServiceToken, newWebhookSecret, signWebhook, webhookTimestampHeader } from '@tandem/auth';
import { eventually, uniqueId } from '@tandem/testing';
import type { FuzzAnswer, FuzzRequest, KnownValues, Operation } from '../src';
import { RunningApps } from './apps';
import { Outside } from './outside';

/** An account with everything that an operation can be about. */
interface Account {
  readonly id: string;
  readonly token: string;
  readonly tokenIds: readonly string[];
  readonly promotionIds: readonly string[];
  readonly groupIds: readonly string[];
  readonly oids: readonly string[];
  readonly deliveryIds: readonly string[];
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- whatever the API answered
type Json = any;

/** The sales of an account: one qualifies, two are held. */
const BUYERS = ['buyer@example.com', 'first@yopmail.com', 'second@yopmail.com'];

/** The running platform with some rows in it, as it is seen by those who call it. */
export class Platform {
  private manager = '';
  /** A service token without the scope of managers. */
  private stranger = '';
  /** Calls by themselves, so nothing that a manager does in a test may disable them. */
  private callers!: { promotion: Account; voucher: Account };
  /** What the managers' operations are about. */
  private subjects!: { promotion: Account; voucher: Account };

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
    this.stranger = await this.outside.token('fuzz', { scope: 'payments' });
    this.callers = { promotion: await this.promotionPartner(), voucher: await this.voucherPartner() };
    this.subjects = { promotion: await this.promotionPartner(), voucher: await this.voucherPartner() };
  }

  async stop(): Promise<void> {
    await this.apps.stop();
    await this.outside.stop();
  }

  /** Sends a request of the fuzzer to an app. */
  async send(app: string, request: FuzzRequest): Promise<FuzzAnswer> {
    const response = await fetch(this.apps.urlOf(app) + request.target, {
      method: request.method,
      headers: { ...request.headers, ...(await this.credentialsOf(app, request)) },
      // Bytes: fetch would add a content type to a text.
      ...(request.body !== undefined && { body: new Uint8Array(Buffer.from(request.body)) }),
    });
    const contentType = response.headers.get('content-type') ?? undefined;
    return { status: response.status, contentType, text: await response.text() };
  }

  /** Rows that an operation may be about. */
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
    };
    return (name) => (Object.hasOwn(values, name) ? (values[name] ?? []) : []);
  }

  private async credentialsOf(
    app: string,
    { credentials, target, body = '' }: FuzzRequest,
  ): Promise<Record<string, string>> {
    if (credentials === 'none') return {};
    if (credentials === 'broken') return { authorization: 'Bearer not.a-token' };
    if (target.startsWith('/idp/'))
      return signatureOf(credentials === 'good' ? this.apps.secrets.payments : newWebhookSecret(), body);
    return { authorization: `Bearer ${await this.tokenFor(app, target, credentials === 'good')}` };
  }

  private async tokenFor(app: string, target: string, good: boolean): Promise<string> {
    if (target.startsWith('/internal')) {
      const audience = good ? app : 'another-app';
      return issueServiceToken({ secrets: [this.apps.secrets.internal], from: 'fuzz', audience, now: new Date() });
    }
    if (target.startsWith('/admin')) return good ? this.manager : this.stranger;
    const { promotion, voucher } = this.callers;
    const kind = target.includes('/voucher') ? voucher : promotion;
    return good ? kind.token : kind === voucher ? promotion.token : voucher.token;
  }

  private async promotionPartner(): Promise<Account> {
    const account = await this.partner('promotion');
    const code = uniqueId('CODE');
    const promotion = await this.manage('POST', `/admin/partners/${account.id}/promotions`, { code, percentOff: 20 });
    const configuration = { url: this.outside.postbackUrl, authMethod: 'Bearer', key: 'a-key' };
    await this.call('partner-gateway', 'POST', '/api/v2/partner/postback', configuration, account.token);
    const oids = await Promise.all(BUYERS.map((email) => this.sell(code, email)));
    const deliveries = await eventually(async () => {
      const page = await this.call(
        'partner-gateway',
        'GET',
        '/api/v2/partner/postback/deliveries',
        undefined,
        account.token,
      );
      if (page.items.length === 0) throw new Error('the sale is not there yet');
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
    const wish = { voucherGroupId: id, count: 3 };
    await this.call('partner-gateway', 'POST', '/api/v2/partner/subscription/vouchers', wish, account.token);
    return { ...account, promotionIds: [], groupIds: [id], oids: [], deliveryIds: [] };
  }

  private async partner(kind: string): Promise<Pick<Account, 'id' | 'token' | 'tokenIds'>> {
    const { id } = await this.manage('POST', '/admin/partners', { name: 'A partner', kind });
    const issued: Json[] = [];
    for (const environment of ['live', 'live', 'test', 'live']) {
      issued.push(await this.manage('POST', `/admin/partners/${id}/tokens`, { environment }));
    }
    return { id, token: issued[0].token, tokenIds: issued.slice(1).map((token) => token.id as string) };
  }

  /** Billing tells of a sale with a promotion's code. @returns its subscription */
  private async sell(promotionCode: string, email: string): Promise<string> {
    const subscriptionId = uniqueId('sub');
    const data = {
      ...{ subscriptionId, customer: { email }, plan: 'pro', entitlements: [], currency: 'USD', amount: '99.90' },
      ...{ paymentStatus: 'captured', firstPayment: true, items: [{ price: '99.90', category: 'Pro' }] },
      attribution: { promotionCode },
    };
    const body = { id: uniqueId('evt'), type: 'subscription.purchased', timestamp: new Date().toISOString(), data };
    const headers = signatureOf(this.apps.secrets.payments, JSON.stringify(body));
    await this.call('webhook-ingest', 'POST', '/idp/payments/webhook', body, undefined, headers);
    return subscriptionId;
  }

  private manage(method: string, path: string, body: object): Promise<Json> {
    return this.call('partner-gateway', method, path, body, this.manager);
  }

  private async call(
    app: string,
    method: string,
    path: string,
    body?: object,
    token?: string,
    more = {},
  ): Promise<Json> {
    const headers = {
      ...(body && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
      ...more,
    };
    const answer = await fetch(this.apps.urlOf(app) + path, { method, headers, body: body && JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${text}`);
    return JSON.parse(text);
  }
}

/** What `{id}` of a path is the id of. */
function idsOf(path: string, promotion: Account, voucher: Account): readonly string[] {
  if (path.startsWith('/admin/tokens/')) return [...promotion.tokenIds, ...voucher.tokenIds];
  if (path.startsWith('/admin/promotions/')) return promotion.promotionIds;
  if (path.startsWith('/admin/voucher-groups/')) return voucher.groupIds;
  if (path.startsWith('/admin/partners/')) return [promotion.id, voucher.id];
  return path.includes('/deliveries/') ? promotion.deliveryIds : [];
}

/** One held sale can be released or refused: each of the two has its own. */
function oidsOf(path: string, { oids }: Account): readonly string[] {
  if (path.endsWith('/release')) return oids.slice(1, 2);
  return path.endsWith('/refuse') ? oids.slice(2) : oids;
}

function signatureOf(secret: string, body: string): Record<string, string> {
  const [id, timestamp] = [`msg_${randomUUID()}`, new Date()];
  return {
    'webhook-id': id,
    'webhook-timestamp': webhookTimestampHeader(timestamp),
    'webhook-signature': signWebhook({ secrets: [secret], id, timestamp, body }),
  };
}

const daysFromNow = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
