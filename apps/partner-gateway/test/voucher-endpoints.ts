import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { Gateway, type TestPartner } from './gateway';

export const GROUPS = '/api/v2/partner/subscription/voucher-group';
export const VOUCHERS = '/api/v2/partner/subscription/vouchers';
export const GROUP_ID = '5b0e6a0e-6f0a-4a52-9d7d-0a4f2f6c8f11';
const TIME = '2026-01-05T09:30:00.000Z';

export const COUPON = {
  id: '0e7d4c1a-93a5-4f0e-b8f4-51c5a7a3d901',
  code: 'ABCD-EFGH-JKLM-NPQ9',
  voucherGroupId: GROUP_ID,
  status: 'active',
  batchId: 'c9a3fd39-2f50-4c0e-8a2b-6de8f0a1b7d2',
  createdAt: TIME,
  expiresAt: null,
  redeemedAt: null,
};
export const GROUP_LIST = {
  items: [
    {
      id: GROUP_ID,
      name: 'Advanced, 1 year',
      status: 'active',
      product: { name: 'Advanced', tier: 'advanced', periodMonths: 12 },
      currency: 'USD',
      issued: 5,
      redeemed: 1,
      remaining: null,
      validFrom: TIME,
      validUntil: null,
      createdAt: TIME,
    },
  ],
};
export const PAGE = { items: [COUPON], nextCursor: 'AAAA', hasMore: true };
export const CREATED = { batchId: COUPON.batchId, requestedCount: 1, count: 1, items: [COUPON] };

export const fits = (type: new () => object, data: unknown): boolean =>
  validateSync(plainToInstance(type, data), { whitelist: true, forbidNonWhitelisted: true }).length === 0;

/** Calls the voucher endpoints of a gateway as a voucher partner, with a stand-in for voucher-service. */
export class VoucherEndpoints {
  private constructor(
    readonly gateway: Gateway,
    readonly partner: TestPartner,
    readonly token: string,
    readonly testToken: string,
  ) {}

  static async start(): Promise<VoucherEndpoints> {
    const gateway = await Gateway.start({ VOUCHER_SERVICE_TIMEOUT_MS: '2000' });
    const partner = await gateway.createPartner({ kind: 'voucher' });
    const token = await issueToken(gateway, partner);
    return new VoucherEndpoints(gateway, partner, token, await issueToken(gateway, partner, { environment: 'test' }));
  }

  stop(): Promise<void> {
    return this.gateway.stop();
  }

  /** Issues another token to the partner. */
  voucherToken(options: TokenOptions = {}): Promise<string> {
    return issueToken(this.gateway, this.partner, options);
  }

  create(body: unknown, { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {}) {
    return this.gateway.request('POST', VOUCHERS + query, { token: this.token, body, headers });
  }

  /** Returns the last request that the stand-in for voucher-service received. */
  get asked() {
    return this.gateway.vouchers.requests.at(-1);
  }

  get countAsked(): number {
    return this.gateway.vouchers.requests.length;
  }
}

interface TokenOptions {
  environment?: string;
  scopes?: string[];
}

const issueToken = (gateway: Gateway, partner: TestPartner, options: TokenOptions = {}): Promise<string> =>
  gateway.issueToken(partner.id, { scopes: ['vouchers:read', 'vouchers:create'], ...options });
