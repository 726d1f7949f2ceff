import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import {
  type ChangeVoucherGroup,
  couponsPath,
  type CreateVoucherGroup,
  IDEMPOTENCY_REPLAYED,
  InternalClient,
  InvalidCursorError,
  type ListedVoucherGroup,
  type ManagedVoucherGroupList,
  managedVoucherGroupPath,
  managedVoucherGroupsPath,
  type ManagedVoucherGroupView,
  type VoucherGroupChange,
  VOUCHER_ERRORS,
  VoucherGroupNotFoundError,
  voucherGroupsPath,
} from '@tandem/internal-api';
import { PartnerGatewayConfig } from '../config';
import type { ListCouponsQuery } from './voucher.dto';
import type { WantedCoupons } from './voucher.rules';

/** On whose behalf voucher-service is asked. */
export interface VoucherCaller {
  partnerId: string;
  environment: string;
  requestId: string;
}

/** JSON as voucher-service wrote it: it is passed on as it is. */
export type RelayedJson = string;

/** Longer than any id or cursor that was ever given out. */
const LONGEST = 255;

/** voucher-service, which owns voucher groups and coupons, over its internal HTTP. All throw ServiceUnavailableError. */
@Injectable()
export class VoucherClient implements OnApplicationShutdown {
  private readonly client: InternalClient;

  constructor(config: PartnerGatewayConfig) {
    this.client = new InternalClient({
      from: 'partner-gateway',
      to: 'voucher-service',
      url: config.VOUCHER_SERVICE_URL,
      secrets: config.INTERNAL_TOKEN_SECRETS,
      timeoutMs: config.VOUCHER_SERVICE_TIMEOUT_MS,
      connections: 64,
      errors: VOUCHER_ERRORS,
      unavailable: 'Vouchers cannot be reached now; try again.',
    });
  }

  async listGroups({ partnerId, environment, requestId }: VoucherCaller): Promise<RelayedJson> {
    const path = voucherGroupsPath(partnerId, environment);
    return (await this.client.call([200], { method: 'GET', path, requestId })).text;
  }

  /** @throws VoucherGroupNotFoundError, InvalidCursorError, ValidationFailedError */
  async listCoupons(caller: VoucherCaller, query: ListCouponsQuery): Promise<RelayedJson> {
    const { voucherGroupId, cursor, status, limit } = query;
    if (voucherGroupId.length > LONGEST) throw new VoucherGroupNotFoundError();
    if (cursor !== undefined && cursor.length > LONGEST) throw new InvalidCursorError();
    const path = couponsPath(caller.partnerId, caller.environment);
    const asked = { voucherGroupId, cursor, status, limit: limit?.toString() };
    return (await this.client.call([200], { method: 'GET', path, query: asked, requestId: caller.requestId })).text;
  }

  /**
   * @throws VoucherGroupNotFoundError, CouponCreationRunningError, InsufficientStockError, IdempotentCreationRunningError,
   *   IdempotencyKeyReusedError
   */
  async createCoupons(
    caller: VoucherCaller & { tokenId: string; idempotencyKey: string | null },
    wanted: WantedCoupons,
  ): Promise<{ json: RelayedJson; replayed: boolean }> {
    const { partnerId, environment, requestId, tokenId, idempotencyKey } = caller;
    if (wanted.voucherGroupId.length > LONGEST) throw new VoucherGroupNotFoundError();
    const path = couponsPath(partnerId, environment);
    const body = { ...wanted, tokenId, idempotencyKey };
    const { text, headers } = await this.client.call([201], { method: 'POST', path, body, requestId });
    return { json: text, replayed: headers[IDEMPOTENCY_REPLAYED] === 'true' };
  }

  /** At most `limit` groups of a partner, from `before` on, for its manager. */
  async listManagedGroups(
    partnerId: string,
    { before, limit, requestId }: { before: string | null; limit: number; requestId: string },
  ): Promise<ListedVoucherGroup[]> {
    const path = managedVoucherGroupsPath(partnerId);
    const query = { before: before ?? undefined, limit: limit.toString() };
    return (await this.client.json<ManagedVoucherGroupList>(200, { method: 'GET', path, query, requestId })).items;
  }

  /** @throws ValidationFailedError */
  createGroup(partnerId: string, group: CreateVoucherGroup, requestId: string): Promise<ManagedVoucherGroupView> {
    const path = managedVoucherGroupsPath(partnerId);
    return this.client.json(201, { method: 'POST', path, body: group, requestId });
  }

  /** @throws VoucherGroupNotFoundError, ValidationFailedError */
  changeGroup(groupId: string, change: ChangeVoucherGroup, requestId: string): Promise<VoucherGroupChange> {
    const path = managedVoucherGroupPath(groupId);
    return this.client.json(200, { method: 'PATCH', path, body: change, requestId });
  }

  onApplicationShutdown(): Promise<void> {
    return this.client.close();
  }
}
