import createClient, { type Client } from 'openapi-fetch';
import type { components, paths, webhooks } from './partner-api';

/** Creates a client as a partner's own code would: it sends one token, and all its types come from the OpenAPI document. */
export const clientFor = (baseUrl: string, token: string): Client<paths> =>
  createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });

/** Shows how to react to errors by their code. The function compiles only if the OpenAPI document lists each of these codes. */
export async function buyCoupons(
  client: Client<paths>,
  voucherGroupId: string,
  count: number,
  key: string,
): Promise<components['schemas']['Coupon'][] | 'again' | 'sold out'> {
  const { data, error, response } = await client.POST('/api/v2/partner/subscription/vouchers', {
    params: { header: { 'Idempotency-Key': key } },
    body: { voucherGroupId, count },
  });
  if (data) return data.items;
  switch (error.code) {
    case 'creation_in_progress':
    case 'idempotency_in_progress':
    case 'rate_limited':
    case 'service_unavailable':
      return 'again';
    case 'insufficient_stock':
      return 'sold out';
    default:
      throw new Error(`${response.status} ${error.code}: ${error.detail} (${error.requestId})`);
  }
}

/** The body of a postback, as the `webhooks` section of the OpenAPI document describes it. */
type Postback = webhooks['postback']['post']['requestBody']['content']['application/json'];

/** Returns the total of a postback's items, in hundredths of its currency. */
export const hundredthsOf = ({ items }: Postback): number =>
  items.reduce((sum, { price, quantity }) => sum + Math.round(Number(price) * 100) * Number(quantity), 0);

/** Returns the codes of all coupons of a group, which are read page by page. */
export async function allCodes(client: Client<paths>, voucherGroupId: string): Promise<string[]> {
  const codes: string[] = [];
  let cursor: string | undefined;
  do {
    const query = { voucherGroupId, limit: 500, ...(cursor !== undefined && { cursor }) };
    const { data, error } = await client.GET('/api/v2/partner/subscription/vouchers', { params: { query } });
    if (error) throw new Error(error.code);
    codes.push(...data.items.map(({ code }) => code));
    cursor = data.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return codes;
}

/** Contains requests that do not match the OpenAPI document. Each of them must fail to compile. */
export const doesNotCompile = (client: Client<paths>) => [
  // @ts-expect-error -- there is no such reason
  client.PUT('/api/v2/partner/subscription/revoke', { body: { subscriptionId: 'a', reason: 'boredom' } }),
  // @ts-expect-error -- the group must be given
  client.GET('/api/v2/partner/subscription/vouchers', { params: { query: {} } }),
  // @ts-expect-error -- there is no such path
  client.GET('/api/v2/partner/nothing'),
];
