import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { issueServiceToken } from '@tandem/auth';
import {
  type ChangeVoucherGroup,
  couponsPath,
  type CreateVoucherGroup,
  IDEMPOTENCY_REPLAYED,
  type ListedVoucherGroup,
  type ManagedVoucherGroupList,
  managedVoucherGroupPath,
  managedVoucherGroupsPath,
  type ManagedVoucherGroupView,
  type VoucherGroupChange,
  voucherGroupsPath,
} from '@tandem/contracts';
import { internalCall, ServiceUnavailableError, ValidationFailedError } from '@tandem/service-defaults';
import { Agent, request } from 'undici';
import { PartnerGatewayConfig } from '../config';
import { InvalidCursorError } from '../paging/paging.errors';
import type { ListCouponsQuery } from './voucher.dto';
import {
  CouponCreationRunningError,
  IdempotencyKeyReusedError,
  IdempotentCreationRunningError,
  InsufficientStockError,
  VoucherGroupNotFoundError,
} from './voucher.errors';
import type { WantedCoupons } from './voucher.rules';

/** On whose behalf voucher-service is asked. */
export interface VoucherCaller {
  partnerId: string;
  environment: string;
  requestId: string;
}

/** JSON as voucher-service wrote it: it is passed on as it is. */
export type RelayedJson = string;

interface Answer {
  status: number;
  text: RelayedJson;
  replayed: boolean;
}

interface Call {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  query?: Record<string, string | undefined>;
  body?: object;
  requestId: string;
}

/** Longer than any id or cursor that was ever given out. */
const LONGEST = 255;

const ERRORS: Readonly<Record<string, new () => Error>> = {
  '400 invalid_cursor': InvalidCursorError,
  '404 voucher_group_not_found': VoucherGroupNotFoundError,
  '409 creation_in_progress': CouponCreationRunningError,
  '409 idempotency_in_progress': IdempotentCreationRunningError,
  '409 insufficient_stock': InsufficientStockError,
  '422 idempotency_key_reused': IdempotencyKeyReusedError,
};

/** voucher-service, which owns voucher groups and coupons, over its internal HTTP. All throw ServiceUnavailableError. */
@Injectable()
export class VoucherClient implements OnApplicationShutdown {
  private readonly logger = new Logger(VoucherClient.name);
  private readonly agent: Agent;

  constructor(private readonly config: PartnerGatewayConfig) {
    this.agent = new Agent({ connections: 64, connect: { timeout: config.VOUCHER_SERVICE_TIMEOUT_MS } });
  }

  async listGroups({ partnerId, environment, requestId }: VoucherCaller): Promise<RelayedJson> {
    const path = voucherGroupsPath(partnerId, environment);
    return (await this.call(200, { method: 'GET', path, requestId })).text;
  }

  /** @throws VoucherGroupNotFoundError, InvalidCursorError, ValidationFailedError */
  async listCoupons(caller: VoucherCaller, query: ListCouponsQuery): Promise<RelayedJson> {
    const { voucherGroupId, cursor, status, limit } = query;
    if (voucherGroupId.length > LONGEST) throw new VoucherGroupNotFoundError();
    if (cursor !== undefined && cursor.length > LONGEST) throw new InvalidCursorError();
    const path = couponsPath(caller.partnerId, caller.environment);
    const asked = { voucherGroupId, cursor, status, limit: limit?.toString() };
    return (await this.call(200, { method: 'GET', path, query: asked, requestId: caller.requestId })).text;
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
    const { text, replayed } = await this.call(201, { method: 'POST', path, body, requestId });
    return { json: text, replayed };
  }

  /** At most `limit` groups of a partner, from `before` on, for its manager. */
  async listManagedGroups(
    partnerId: string,
    { before, limit, requestId }: { before: string | null; limit: number; requestId: string },
  ): Promise<ListedVoucherGroup[]> {
    const path = managedVoucherGroupsPath(partnerId);
    const query = { before: before ?? undefined, limit: limit.toString() };
    const { text } = await this.call(200, { method: 'GET', path, query, requestId });
    return parsed<ManagedVoucherGroupList>(text).items;
  }

  /** @throws ValidationFailedError */
  async createGroup(partnerId: string, group: CreateVoucherGroup, requestId: string): Promise<ManagedVoucherGroupView> {
    const path = managedVoucherGroupsPath(partnerId);
    const { text } = await this.call(201, { method: 'POST', path, body: group, requestId });
    return parsed(text);
  }

  /** @throws VoucherGroupNotFoundError, ValidationFailedError */
  async changeGroup(groupId: string, change: ChangeVoucherGroup, requestId: string): Promise<VoucherGroupChange> {
    const path = managedVoucherGroupPath(groupId);
    const { text } = await this.call(200, { method: 'PATCH', path, body: change, requestId });
    return parsed(text);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.close();
  }

  /** The answer, when it has the expected status; else the error that it tells of. */
  private async call(expected: number, call: Call): Promise<Answer> {
    const answer = await this.send(call);
    if (answer.status === expected) return answer;
    const { code, errors } = problemOf(answer);
    const known = ERRORS[`${answer.status} ${code}`];
    if (known) throw new known();
    if (answer.status === 422 && code === 'validation_failed') throw new ValidationFailedError(errors);
    throw this.unexpected(answer.status, code);
  }

  private async send({ method, path, query = {}, body, requestId }: Call): Promise<Answer> {
    const url = new URL(path, this.config.VOUCHER_SERVICE_URL);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
    const token = issueServiceToken({
      secrets: this.config.internalTokenSecrets,
      from: 'partner-gateway',
      audience: 'voucher-service',
      now: new Date(),
    });
    // Body read included: a service that stops in the middle is as good as none.
    const { headers, signal } = internalCall(this.config.VOUCHER_SERVICE_TIMEOUT_MS);
    try {
      const answer = await request(url, {
        method,
        dispatcher: this.agent,
        headers: {
          ...headers,
          authorization: `Bearer ${token}`,
          'x-request-id': requestId,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal,
      });
      const text = await answer.body.text();
      return { status: answer.statusCode, text, replayed: answer.headers[IDEMPOTENCY_REPLAYED] === 'true' };
    } catch (cause) {
      throw unavailable({ cause });
    }
  }

  /** An outage of the other side, or a fault between the two of us: no fault of the partner's. */
  private unexpected(status: number, code: unknown): ServiceUnavailableError {
    const line = { msg: 'voucher-service gave an answer that was not agreed', status, code };
    if (status === 503) this.logger.warn(line);
    else this.logger.error(line);
    return unavailable();
  }
}

const unavailable = (options?: ErrorOptions): ServiceUnavailableError =>
  new ServiceUnavailableError('Vouchers cannot be reached now; try again.', 5, options);

function parsed<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw unavailable({ cause });
  }
}

/** What a problem+json says; nothing, when it is none. */
function problemOf({ text }: Answer): { code: unknown; errors: { field: string; message: string }[] } {
  let problem: unknown = null;
  try {
    problem = JSON.parse(text);
  } catch {
    // An answer of somebody in between: it has no code, and counts as unexpected.
  }
  if (!isObject(problem)) return { code: undefined, errors: [] };
  const errors: unknown[] = Array.isArray(problem['errors']) ? problem['errors'] : [];
  const fields = errors
    .filter(isObject)
    .map(({ field, message }) => ({ field: String(field), message: String(message) }));
  return { code: problem['code'], errors: fields };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
