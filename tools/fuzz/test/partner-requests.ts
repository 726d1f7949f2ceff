import { randomUUID } from 'node:crypto';
import { type Account, fetchFromApp, type PartnerAccounts } from '../src';
import type { RunningApps } from './apps';

/** Values by which a partner's request can name a row. */
export interface Ids {
  readonly oid: string;
  readonly refId: string;
  readonly deliveryId: string;
  readonly groupId: string;
  readonly salesCursor: string;
  readonly deliveriesCursor: string;
  readonly couponsCursor: string;
  readonly listenCursor: string;
}

/** The fields that name a row, in a path, a query or a body. */
export const ID_FIELDS = ['oid', 'id', 'refId', 'subscriptionId', 'voucherGroupId', 'cursor'];

/** What a partner must receive when it uses an id of another partner: an error with this code, or an empty list. */
type Outcome = 'subscription_not_found' | 'not_found' | 'voucher_group_not_found' | 'invalid_cursor' | 'an empty list';

type Target = (ids: Ids, own: Ids) => string;
type Body = (ids: Ids) => object;

export interface PartnerRequest {
  readonly kind: 'promotion' | 'listener' | 'voucher';
  /** The operation, such as `GET /sales/{oid}`, without the base path. */
  readonly operation: string;
  /** The place and the name of the field that has the id, such as `path oid`. */
  readonly field: string;
  readonly expected: Outcome;
  /** Returns the path and the query of the request. @param own the ids of the calling partner */
  readonly target: Target;
  readonly body?: Body;
}

export const BASE = '/api/v2/partner';

type Line = readonly [operation: string, field: string, expected: Outcome, target: Target, body?: Body];

const PROMOTION: readonly Line[] = [
  ['GET /sales/{oid}', 'path oid', 'subscription_not_found', ({ oid }) => `/sales/${oid}`],
  ['GET /sales', 'query refId', 'an empty list', ({ refId }) => `/sales?refId=${refId}`],
  ['GET /sales', 'query cursor', 'invalid_cursor', ({ salesCursor }) => `/sales?limit=1&cursor=${salesCursor}`],
  ['GET /sales/export', 'query refId', 'an empty list', ({ refId }) => `/sales/export?refId=${refId}`],
  [
    'PUT /subscription/revoke',
    'query subscriptionId',
    'subscription_not_found',
    ({ oid }) => `/subscription/revoke?subscriptionId=${oid}`,
    () => ({}),
  ],
  [
    'PUT /subscription/revoke',
    'body subscriptionId',
    'subscription_not_found',
    () => '/subscription/revoke',
    ({ oid }) => ({ subscriptionId: oid }),
  ],
  ['GET /postback/deliveries', 'query oid', 'an empty list', ({ oid }) => `/postback/deliveries?oid=${oid}`],
  ['GET /postback/deliveries', 'query refId', 'an empty list', ({ refId }) => `/postback/deliveries?refId=${refId}`],
  [
    'GET /postback/deliveries',
    'query cursor',
    'invalid_cursor',
    ({ deliveriesCursor }) => `/postback/deliveries?limit=1&cursor=${deliveriesCursor}`,
  ],
  [
    'POST /postback/deliveries/{id}/replay',
    'path id',
    'not_found',
    ({ deliveryId }) => `/postback/deliveries/${deliveryId}/replay`,
  ],
];

/** Requests of promotion partners with a test token. */
const LISTENER: readonly Line[] = [
  [
    'GET /postback/listen',
    'query cursor',
    'invalid_cursor',
    ({ listenCursor }) => `/postback/listen?cursor=${listenCursor}`,
  ],
];

const VOUCHER: readonly Line[] = [
  [
    'GET /subscription/vouchers',
    'query voucherGroupId',
    'voucher_group_not_found',
    ({ groupId }) => `/subscription/vouchers?voucherGroupId=${groupId}`,
  ],
  [
    'GET /subscription/vouchers',
    'query cursor',
    'invalid_cursor',
    ({ couponsCursor }, own) => `/subscription/vouchers?voucherGroupId=${own.groupId}&limit=1&cursor=${couponsCursor}`,
  ],
  [
    'POST /subscription/vouchers',
    'query voucherGroupId',
    'voucher_group_not_found',
    ({ groupId }) => `/subscription/vouchers?voucherGroupId=${groupId}&count=1`,
    () => ({}),
  ],
  [
    'POST /subscription/vouchers',
    'body voucherGroupId',
    'voucher_group_not_found',
    () => '/subscription/vouchers',
    ({ groupId }) => ({ voucherGroupId: groupId, count: 1 }),
  ],
];

const requestOf =
  (kind: PartnerRequest['kind']) =>
  ([operation, field, expected, target, body]: Line): PartnerRequest => ({
    kind,
    operation,
    field,
    expected,
    target,
    body,
  });

/** All requests of partners in which a field names a row. */
export const PARTNER_REQUESTS: readonly PartnerRequest[] = [
  ...PROMOTION.map(requestOf('promotion')),
  ...LISTENER.map(requestOf('listener')),
  ...VOUCHER.map(requestOf('voucher')),
];

/** An answer. In `text`, placeholders replace the parts that differ even between the answers to equal requests. */
export interface PartnerAnswer {
  readonly status: number;
  readonly text: string;
}

/** Sends requests of partners to partner-gateway. */
export class PartnerClient {
  constructor(private readonly apps: RunningApps) {}

  /** Sends a request. @param target path and query without the base path */
  async send(method: string, target: string, token: string, body?: object): Promise<PartnerAnswer> {
    const answer = await fetchFromApp(this.apps.urlOf('partner-gateway') + BASE + target, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, text: (await answer.text()).replace(/"requestId":"[^"]*"/, '"requestId":"…"') };
  }

  /** Sends a request with these ids. In the answer's text, the values of the ids are replaced by their names. */
  async sendRequest(request: PartnerRequest, ids: Ids, own: Ids, token: string): Promise<PartnerAnswer> {
    const method = request.operation.split(' ')[0] as string;
    const { status, text } = await this.send(method, request.target(ids, own), token, request.body?.(ids));
    const named = Object.entries(ids).filter(([, value]) => value !== '');
    return { status, text: named.reduce((all, [name, value]) => all.replaceAll(value, `{${name}}`), text) };
  }

  /** Reads the ids of a partner's rows and the cursors of its lists. */
  async idsOf({ oids, refIds, groupIds, deliveryIds, token, testToken }: Account): Promise<Ids> {
    const [oid = '', refId = '', groupId = '', deliveryId = ''] = [oids[0], refIds[0], groupIds[0], deliveryIds[0]];
    const cursor = async (exists: string, list: string, reader = token): Promise<string> => {
      if (exists === '') return '';
      const { nextCursor } = JSON.parse((await this.send('GET', list, reader)).text) as { nextCursor: string | null };
      if (nextCursor === null) throw new Error(`${list} has no second page`);
      return nextCursor;
    };
    return {
      oid,
      refId,
      groupId,
      deliveryId,
      salesCursor: await cursor(oid, '/sales?limit=1'),
      deliveriesCursor: await cursor(oid, '/postback/deliveries?limit=1'),
      couponsCursor: await cursor(groupId, `/subscription/vouchers?voucherGroupId=${groupId}&limit=1`),
      listenCursor: await cursor(oid, '/postback/listen', testToken),
    };
  }
}

/** Returns the outcome: the code of an error, `an empty list`, or the whole answer if it contains a row. */
export function outcomeOf({ status, text }: PartnerAnswer): string {
  const isJson = text.startsWith('{');
  if (status >= 400) return String((JSON.parse(text) as { code: string }).code);
  const isEmpty = isJson ? text.startsWith('{"items":[],"nextCursor":null') : text.trim().split('\r\n').length === 1;
  return isEmpty ? 'an empty list' : `${status} ${text}`;
}

/** Returns ids that belong to no row, and the given cursors with their first character changed. */
export function unknownIds({ salesCursor, deliveriesCursor, couponsCursor, listenCursor }: Ids): Ids {
  const forged = (cursor: string): string => cursor.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'));
  return {
    oid: `sub-${randomUUID()}`,
    refId: `order-${randomUUID()}`,
    deliveryId: randomUUID(),
    groupId: randomUUID(),
    salesCursor: forged(salesCursor),
    deliveriesCursor: forged(deliveriesCursor),
    couponsCursor: forged(couponsCursor),
    listenCursor: forged(listenCursor),
  };
}

/** The partners of one kind: the owner of rows, and callers that must not reach these rows. */
export interface Parties {
  readonly owner: Account;
  readonly ids: Ids;
  /** The paths whose answers show the rows of the owner. */
  readonly lists: readonly string[];
  readonly strangers: readonly (readonly [name: string, token: string])[];
  readonly ownIds: Ids;
}

/** Creates, for each kind, an owner and callers that must not reach the owner's rows. */
export async function createParties(
  accounts: PartnerAccounts,
  client: PartnerClient,
): Promise<Record<PartnerRequest['kind'], Parties>> {
  const owner = await accounts.promotion(['first@example.com', 'second@example.com']);
  const groupOwner = await accounts.voucher();
  // This partner has no sales, so any sale in an answer to it belongs to another partner.
  const stranger = await accounts.promotion([]);
  const groupStranger = await accounts.voucher();
  const ids = await client.idsOf(owner);
  const groupIds = await client.idsOf(groupOwner);
  return {
    promotion: {
      owner,
      ids,
      ownIds: await client.idsOf(stranger),
      lists: ['/sales', '/sales/export', '/statistics', '/postback', '/postback/deliveries'],
      strangers: [
        ['another partner', stranger.token],
        ['a portal session of another partner', await accounts.portalSession(stranger.id)],
        ['the test token of the same partner', owner.testToken],
      ],
    },
    listener: {
      owner: { ...owner, token: owner.testToken },
      ids,
      ownIds: ids,
      lists: ['/sales'],
      strangers: [['the test token of another partner', stranger.testToken]],
    },
    voucher: {
      owner: groupOwner,
      ids: groupIds,
      ownIds: await client.idsOf(groupStranger),
      lists: ['/subscription/voucher-group', `/subscription/vouchers?voucherGroupId=${groupIds.groupId}`],
      strangers: [
        ['another partner', groupStranger.token],
        ['a portal session of another partner', await accounts.portalSession(groupStranger.id)],
      ],
    },
  };
}

/** Returns the texts by which the rows of an owner can be recognized. */
export const valuesOf = ({ oids, refIds, deliveryIds, groupIds }: Account, ids: Ids): readonly string[] =>
  [...oids, ...refIds, ...deliveryIds, ...groupIds, ...Object.values(ids)].filter((value) => value !== '');
