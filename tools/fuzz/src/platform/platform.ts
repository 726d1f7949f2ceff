import { issueServiceToken, newWebhookSecret, parseServicePrivateKey } from '@tandem/auth';
import { signedHeaders } from '@tandem/stack-client';
import type { FuzzAnswer } from '../answer-check';
import type { Operation } from '../document';
import type { FuzzRequest } from '../requests';
import type { KnownValues } from '../values';
import { appOf } from '../../../../apps/apps';
import { type Apps, eventually } from './apps';
import { fetchFromApp } from './fetch';
import { IdentityUsers } from './identity-users';
import type { Outside } from './outside';
import { type Account, PartnerAccounts } from './partner-accounts';

const PORTAL_SESSION = '/api/v2/partner/portal-session';

/** The running platform with some data, and the credentials of its callers. */
export class Platform {
  private manager = '';
  private support = '';
  /** A service token without the scopes that managers and support need. */
  private stranger = '';
  private accounts!: PartnerAccounts;
  /** The partners that call the partner API. They are not the `subjects`, so no manager disables them. */
  private callers!: { promotion: Account; voucher: Account };
  /** The partners whose rows the operations of managers concern. */
  private subjects!: { promotion: Account; voucher: Account };

  /** Two applications, because an application can be decided only once: one to approve, and one to reject. */
  private applicationIds: readonly string[] = [];
  /** The users of client apps. */
  private users?: IdentityUsers;
  private locationIds: readonly string[] = [];

  private constructor(
    readonly apps: Apps,
    readonly outside: Outside,
  ) {}

  get managerToken(): string {
    return this.manager;
  }

  get supportToken(): string {
    return this.support;
  }

  /** Creates partners, users and their rows. @param outside the sandbox that the apps use */
  static async create(apps: Apps, outside: Outside): Promise<Platform> {
    const platform = new Platform(apps, outside);
    await platform.fill();
    return platform;
  }

  /** Replaces all tokens that can expire. */
  async renewTokens(): Promise<void> {
    this.manager = await this.outside.token('fuzz', { scope: 'partner:manage' });
    this.support = await this.outside.token('fuzz', { scope: 'support' });
    this.stranger = await this.outside.token('fuzz', { scope: 'payments' });
    await this.users?.renewTokens(this.outside);
  }

  private async fill(): Promise<void> {
    await this.renewTokens();
    this.accounts = new PartnerAccounts(this.apps, () => this.manager, this.outside.postbackUrl);
    this.callers = { promotion: await this.accounts.promotion(), voucher: await this.accounts.voucher() };
    this.subjects = { promotion: await this.accounts.promotion(), voucher: await this.accounts.voucher() };
    this.applicationIds = [await this.accounts.application(), await this.accounts.application()];
    this.users = await IdentityUsers.start(this.apps, this.outside);
    this.locationIds = await this.servedLocations(await this.outside.token('krn:tandem:fuzz:user:vpn'));
  }

  /** Waits until discovery serves locations. @returns their ids */
  private servedLocations(token: string): Promise<readonly string[]> {
    return eventually(async () => {
      const { locations } = await this.apps.call('discovery', 'GET', '/ids2/locations', { token });
      if (locations.length === 0) throw new Error('no locations are served');
      return locations.map(({ id }: { id: string }) => id) as string[];
    });
  }

  /** Sends a request of the fuzzer to an app. @param signal aborts the wait for the answer */
  async send(app: string, request: FuzzRequest, signal?: AbortSignal): Promise<FuzzAnswer> {
    await this.prepare(app, request);
    const response = await fetchFromApp(this.apps.urlOf(app) + request.target, {
      method: request.method,
      headers: { ...request.headers, ...(await this.credentialsOf(app, request)) },
      // The body is sent as bytes, because fetch would add a content type to a string.
      ...(request.body !== undefined && { body: new Uint8Array(Buffer.from(request.body)) }),
      ...(signal && { signal }),
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

  /** Prepares the rows that a request needs. */
  async prepare(app: string, request: FuzzRequest): Promise<void> {
    if (app === 'idp-api') await this.users?.prepare(request);
    if (app === 'idp-support') await this.users?.prepareForSupport(request);
  }

  /** Returns, by the name of a field, the values that an operation can use, such as the ids of existing rows. */
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
      id: path.startsWith('/admin/applications/') ? this.applicationIdsOf(path) : idsOf(path, promotion, voucher),
      user_id: this.users?.krns ?? [],
      srts: this.users?.receipts ?? [],
      location_id: this.locationIds,
      appKey: [this.outside.appKey],
      alertId: this.users?.alertIds ?? [],
      alertIds: this.users?.alertIds ?? [],
      dob: ['1984-02-29', '1950-12-31'],
      ssn: ['123456789', '6789'],
      state: ['OR', 'ca'],
    };
    return (name) => (Object.hasOwn(values, name) ? (values[name] ?? []) : []);
  }

  private applicationIdsOf(path: string): readonly string[] {
    return path.endsWith('/approve') ? this.applicationIds.slice(0, 1) : this.applicationIds.slice(1);
  }

  /** Returns the headers that authenticate a request. @param body the bytes to sign; default: the request's body */
  async credentialsOf(
    app: string,
    request: FuzzRequest,
    body: string | Buffer = request.body ?? '',
  ): Promise<Record<string, string>> {
    const { credentials, target } = request;
    if (credentials === 'none') return {};
    if (credentials === 'broken') return { authorization: 'Bearer not.a-token' };
    const good = credentials === 'good';
    if (app === 'webhook-ingest') {
      const { array, payments } = this.apps.secrets;
      return signedHeaders(good ? (target.startsWith('/idp/array') ? array : payments) : newWebhookSecret(), body);
    }
    const isUsers = app === 'idp-api' || app === 'discovery';
    const token = isUsers ? this.users?.tokenOf(credentials, request) : await this.tokenFor(app, request, good);
    return { authorization: `Bearer ${token}` };
  }

  private async tokenFor(app: string, { method, target }: FuzzRequest, good: boolean): Promise<string> {
    if (target.startsWith('/internal')) return this.serviceToken(app, target, good ? app : 'another-app');
    if (app === 'idp-support') return good ? this.support : this.stranger;
    if (target.startsWith('/admin')) return good ? this.manager : this.stranger;
    const { promotion, voucher } = this.callers;
    if (good && target.startsWith(PORTAL_SESSION)) return this.portalCredential(method, promotion.id);
    if (good && target.includes('/postback/listen')) return promotion.testToken;
    const kind = target.includes('/voucher') ? voucher : promotion;
    return good ? kind.token : kind === voucher ? promotion.token : voucher.token;
  }

  /**
   * Returns a credential for an operation on portal sessions: a code that opens a session, or the token of a session
   * that is to be ended. Each credential is valid for one call.
   */
  private portalCredential(method: string, partnerId: string): Promise<string> {
    return method === 'POST' ? this.accounts.portalCode(partnerId) : this.accounts.portalSession(partnerId);
  }

  /** Issues a service token in the name of an app that may call the route. */
  private serviceToken(app: string, target: string, audience: string): Promise<string> {
    const callers = Object.keys(appOf(app).callers ?? {});
    const from = target.startsWith('/internal/support') ? 'idp-support' : (callers.at(-1) as string);
    const privateKey = parseServicePrivateKey(this.apps.secrets.serviceKeys.privateKeyOf(from));
    return issueServiceToken({ privateKey, from, audience, now: new Date() });
  }
}

/** Returns the ids of rows that can replace `{id}` in a path. */
function idsOf(path: string, promotion: Account, voucher: Account): readonly string[] {
  if (path.startsWith('/admin/tokens/')) {
    // A token can have only one successor, so each operation that creates a successor has its own tokens.
    const own = ({ tokenIds }: Account) => (path.endsWith('/leaked') ? tokenIds.slice(0, 1) : tokenIds.slice(1));
    return [...own(promotion), ...own(voucher)];
  }
  if (path.startsWith('/admin/promotions/')) return promotion.promotionIds;
  if (path.startsWith('/admin/portal-links/')) return [...promotion.portalLinkIds, ...voucher.portalLinkIds];
  if (path.startsWith('/admin/voucher-groups/')) return voucher.groupIds;
  if (path.startsWith('/admin/partners/')) return [promotion.id, voucher.id];
  return path.includes('/deliveries/') ? promotion.deliveryIds : [];
}

/**
 * Returns the sales for an operation. A held sale can be released or refused only once, so each of these two operations
 * has its own sale.
 */
function oidsOf(path: string, { oids }: Account): readonly string[] {
  if (path.endsWith('/release')) return oids.slice(1, 2);
  return path.endsWith('/refuse') ? oids.slice(2) : oids;
}

const daysFromNow = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
