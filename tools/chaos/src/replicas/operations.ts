import { randomUUID } from 'node:crypto';
import { signWebhook } from '@tandem/auth';
import { request } from 'undici';
import { PROFILE, purchaseOf } from '../identity/users';
import type { ChaosStack } from '../stack';
import { deliverWebhook } from '../webhooks';
import type { Operation } from './request-load';

const ANSWER_TIMEOUT_MS = 30_000;
const ENTITLED_TIMEOUT_MS = 60_000;
/** Coupons of one creation. */
export const COUPONS = 3;

interface Call {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT';
  readonly token?: string;
  /** Sent as JSON; text is sent as it is. */
  readonly body?: object | string;
  readonly headers?: Record<string, string>;
}

/** A user with identity protection. */
interface User {
  readonly krn: string;
  readonly token: string;
  readonly arrayUserId: string;
}

/** One operation or more of every API of the platform, for an API's own caller; payments are not among them. */
export async function operationsOf(stack: ChaosStack): Promise<Operation[]> {
  const { baseUrl, partners, support } = stack.file;
  const user = await createUser(stack);
  const operation = (name: string, path: string, call: Call | (() => Call)): Operation => ({
    name,
    run: () => expectSuccess(baseUrl + path, typeof call === 'function' ? call() : call),
  });
  const [partner, identity] = ['/api/v2/partner', '/idp/array/users/me'];
  const { token, voucherGroupId } = partners.voucher;
  const { token: seller } = partners.promotion;
  const coupons = (): Call => ({
    ...{ method: 'POST', token, body: { voucherGroupId, count: COUPONS } },
    headers: { 'idempotency-key': randomUUID() },
  });
  const idpSupport = `/idp/support/users/${user.krn}`;
  return [
    operation('checkout URL', `${partner}/subscription/create-checkout-url?ref_id=rolling`, { token: seller }),
    operation('postback configuration', `${partner}/postback`, { token: seller }),
    operation('delivery log', `${partner}/postback/deliveries?limit=5`, { token: seller }),
    operation('voucher groups', `${partner}/subscription/voucher-group`, { token }),
    operation('coupons', `${partner}/subscription/vouchers?voucherGroupId=${voucherGroupId}&limit=5`, { token }),
    operation(CREATION, `${partner}/subscription/vouchers`, coupons),
    operation('partners, for a manager', '/admin/partners', { token: partners.manager.token }),
    operation('profile', identity, { token: user.token }),
    operation('change of a profile', identity, () => ({
      ...{ method: 'PATCH', token: user.token, body: { emailAddress: `${randomUUID()}@example.com` } },
    })),
    operation('dashboard', `${identity}/dashboard`, { token: user.token }),
    operation('alerts', `${identity}/alerts`, { token: user.token }),
    operation('user, for support', idpSupport, { token: support.token, headers: { 'x-support-reason': 'chaos' } }),
    operation('locations', '/ids2/locations', { token: user.token }),
    { name: "vendor's webhook", run: () => pushAlert(stack, user) },
  ];
}

/** The name of the operation that creates coupons. */
export const CREATION = 'creation of coupons';

async function expectSuccess(url: string, call: Call): Promise<void> {
  const { status, text } = await send(url, call);
  if (status < 200 || status >= 300) throw new Error(`${call.method ?? 'GET'} ${url}: ${status} ${text.slice(0, 200)}`);
}

async function send(
  url: string,
  { method = 'GET', token, body, headers }: Call,
): Promise<{ status: number; text: string }> {
  const answer = await request(url, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    headersTimeout: ANSWER_TIMEOUT_MS,
    bodyTimeout: ANSWER_TIMEOUT_MS,
  });
  return { status: answer.statusCode, text: await answer.body.text() };
}

/** A user that has bought, and has a profile. */
async function createUser(stack: ChaosStack): Promise<User> {
  const { identityTarget } = stack;
  const users = `${identityTarget.baseUrl}/idp/array/users`;
  const krn = `krn:tandem:chaos:user:${randomUUID()}`;
  const minted = await send(`${identityTarget.issuerUrl}/token`, {
    method: 'POST',
    body: { family: 'service', sub: krn, amr: ['mfa'] },
  });
  const { token } = JSON.parse(minted.text) as { token: string };
  await deliverWebhook(identityTarget, purchaseOf(`chaosid_${randomUUID()}`, krn));
  for (const deadline = Date.now() + ENTITLED_TIMEOUT_MS; ;) {
    const created = await send(users, { method: 'POST', token, body: PROFILE });
    if (created.status === 200) break;
    if (Date.now() > deadline) throw new Error(`the user was refused: ${created.status} ${created.text}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  const { text } = await send(`${users}/me`, { token });
  return { krn, token, arrayUserId: (JSON.parse(text) as { arrayUserId: string }).arrayUserId };
}

/** The vendor reports an alert. */
async function pushAlert(stack: ChaosStack, { arrayUserId }: User): Promise<void> {
  const alertId = Math.floor(Math.random() * 2 ** 31);
  const { vendorAppKey: appKey } = stack;
  const details = { appKey, clientKey: arrayUserId, bureau: 'EXP', alertType: 'CREDIT_MONITORING', alertId };
  const [id, timestamp] = [`arr_${randomUUID()}`, new Date()];
  const body = JSON.stringify({ service: 'alerts', event: 'push', method: 'push', details });
  await expectSuccess(`${stack.file.baseUrl}/idp/array/webhook`, {
    method: 'POST',
    body,
    headers: {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(timestamp.getTime() / 1_000)),
      'webhook-signature': signWebhook({ secrets: [stack.webhookSecrets.array], id, timestamp, body }),
    },
  });
}
