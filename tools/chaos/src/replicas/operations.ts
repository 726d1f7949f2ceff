import { randomUUID } from 'node:crypto';
import {
  alertWebhook,
  call,
  type Call,
  callSuccessfully,
  deliverWebhook,
  mintToken,
  newKrn,
  PROFILE,
  purchaseWebhook,
  signable,
  signedHeaders,
} from '@tandem/stack-client';
import type { ChaosStack } from '../stack';
import type { Operation } from './request-load';

const ENTITLED_TIMEOUT_MS = 60_000;
/** The number of coupons per creation. */
export const COUPONS = 3;

/** A user with identity protection. */
interface User {
  readonly krn: string;
  readonly token: string;
  readonly arrayUserId: string;
}

/**
 * Returns one or more operations of every API of the platform except payments, each with a caller that the API accepts.
 */
export async function operationsOf(stack: ChaosStack): Promise<Operation[]> {
  const { baseUrl, partners, support } = stack.file;
  const user = await createUser(stack);
  const operation = (name: string, path: string, options: Call | (() => Call)): Operation => ({
    name,
    run: async () => void (await callSuccessfully(baseUrl + path, typeof options === 'function' ? options() : options)),
  });
  const [partner, identity] = ['/api/v2/partner', '/idp/array/users/me'];
  const { token, voucherGroupId } = partners.voucher;
  const { token: seller } = partners.promotion;
  const coupons = (): Call => ({
    method: 'POST',
    token,
    body: { voucherGroupId, count: COUPONS },
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
      method: 'PATCH',
      token: user.token,
      body: { emailAddress: `${randomUUID()}@example.com` },
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

/** Creates a user who has made a purchase and has a profile. */
async function createUser(stack: ChaosStack): Promise<User> {
  const { identityTarget } = stack;
  const users = `${identityTarget.baseUrl}/idp/array/users`;
  const krn = newKrn('chaos');
  const token = await mintToken(identityTarget.issuerUrl, krn);
  const purchase = purchaseWebhook({ subscriptionId: `chaosid_${randomUUID()}`, krn, plan: 'pro' });
  await deliverWebhook(identityTarget, signable(purchase));
  for (const deadline = Date.now() + ENTITLED_TIMEOUT_MS; ;) {
    const created = await call(users, { method: 'POST', token, body: PROFILE });
    if (created.status === 200) break;
    if (Date.now() > deadline) throw new Error(`the user was refused: ${created.status} ${created.text}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  const { body } = await callSuccessfully(`${users}/me`, { token });
  return { krn, token, arrayUserId: String(body.arrayUserId) };
}

/** Sends an alert by webhook, as the vendor does. */
async function pushAlert(stack: ChaosStack, { arrayUserId: clientKey }: User): Promise<void> {
  const alertId = Math.floor(Math.random() * 2 ** 31);
  const { id, body } = alertWebhook({ appKey: stack.vendorAppKey, clientKey, alertId });
  const headers = signedHeaders(stack.webhookSecrets.array, body, id);
  await callSuccessfully(`${stack.file.baseUrl}/idp/array/webhook`, { method: 'POST', body, headers });
}
