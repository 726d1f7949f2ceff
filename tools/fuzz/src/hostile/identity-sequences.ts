import { ALL_ENTITLEMENTS, billingWebhook, newKrn, PROFILE, purchaseData } from '@tandem/stack-client';
import { setTimeout as delay } from 'node:timers/promises';
import { uniqueId } from '../platform/billing';
import type { Sequence, Steps } from './steps';

const APP = 'idp-api';
const USERS = '/idp/array/users';
const SECOND_FACTOR = { amr: ['pwd', 'mfa'] };

interface NewUser {
  readonly krn: string;
  readonly token: string;
  readonly subscriptionId: string;
}

/**
 * Creates a user with a subscription and a profile. The profile can be created only once the purchase has arrived, so the function tries in up to 40
 * rounds, each with three concurrent requests. If no round creates the profile, reports a finding.
 */
async function newUser(steps: Steps): Promise<NewUser> {
  const krn = newKrn('fuzz');
  const subscriptionId = uniqueId('sub');
  const data = { ...purchaseData({ subscriptionId, plan: 'pro', krn }), entitlements: ALL_ENTITLEMENTS };
  await steps.webhook(billingWebhook('purchased', data));
  const token = await steps.platform.outside.token(krn, SECOND_FACTOR);
  for (let tries = 0; tries < 40; tries++) {
    const answer = await steps.send(APP, `GET ${USERS}/me`, { token }, [200, 400]);
    const created = await steps.atOnce(3, () => steps.send(APP, `POST ${USERS}`, { token, body: PROFILE }, [200, 400]));
    const count = created.filter(({ status }) => status === 200).length;
    steps.check(count <= 1, 'a profile was created twice', [answer.status, count]);
    if (count === 1) return { krn, token, subscriptionId };
    await delay(250);
  }
  steps.check(false, 'a purchase did not entitle its user', krn);
  return { krn, token, subscriptionId };
}

export const IDENTITY_SEQUENCES: Readonly<Record<string, Sequence>> = {
  'a profile that is created, used, deleted and created again': async (steps) => {
    const { token } = await newUser(steps);
    const send = (request: string, body?: object, expected: number[] = []) =>
      steps.send(APP, request, { token, ...(body && { body }) }, expected);
    await steps.atOnce(2, () => send(`POST ${USERS}/me/enroll`));
    await steps.atOnce(2, () => send(`POST ${USERS}/me/mock/alerts`, undefined, [204]));
    const { body } = await send(`GET ${USERS}/me/alerts`, undefined, [200]);
    const alertId = body.userAlerts?.[0]?.alertId;
    await Promise.all([
      send(`PUT ${USERS}/me/alerts/read`, { alertIds: [alertId, alertId, 9_007_199_254_740_991] }, [204]),
      send(`DELETE ${USERS}/me/alerts/${alertId}/read`),
      send(`GET ${USERS}/me/dashboard`, undefined, [200]),
      send(`PATCH ${USERS}/me`, { phoneNumber: '5035550142' }),
    ]);
    await Promise.all([
      ...Array.from({ length: 2 }, () => send(`DELETE ${USERS}/me`, undefined, [200, 400])),
      send(`GET ${USERS}/me/dashboard`, undefined, [200, 400]),
      send(`POST ${USERS}/me/enroll`),
      send(`PATCH ${USERS}/me`, { phoneNumber: '5035550143' }),
    ]);
    await send(`GET ${USERS}/me`, undefined, [400]);
    await send(`PUT ${USERS}/me/alerts/${alertId}/read`, undefined, [400, 404]);
    await send(`POST ${USERS}/me/token`, undefined, [400]);
    await send(`POST ${USERS}`, PROFILE, [200, 400, 403]);
    await send(`DELETE ${USERS}/me`, undefined, [200, 400]);
  },

  'a user whom support changes and deletes while the user acts': async (steps) => {
    const { krn, token, subscriptionId } = await newUser(steps);
    const ofSupport = (method: string, suffix = '', body?: object, expected: number[] = []) =>
      steps.send(
        'idp-support',
        `${method} /idp/support/users/${encodeURIComponent(krn)}${suffix}`,
        { token: steps.platform.supportToken, ...(body && { body }) },
        expected,
      );
    await ofSupport('GET', '', undefined, [200]);
    await Promise.all([
      ofSupport('PATCH', '', { ssn: '123456789' }),
      steps.send(APP, `PATCH ${USERS}/me`, { token, body: { emailAddress: 'new@example.com' } }),
      ofSupport('POST', '/unlock', undefined, [204]),
      ofSupport('POST', '/enrollment-sync', undefined, [202]),
    ]);
    const receipt = await steps.platform.outside.token(krn, { entitlements: ['idp.identity'] });
    await steps.atOnce(2, () => ofSupport('POST', '/enroll', { srts: [receipt] }));
    await steps.webhook(billingWebhook('refunded', { subscriptionId, customer: { krn } }));
    await Promise.all([
      ...Array.from({ length: 2 }, () => ofSupport('DELETE', '', undefined, [200, 404])),
      steps.send(APP, `GET ${USERS}/me/alerts`, { token }),
      steps.send(APP, `POST ${USERS}/me/enroll`, { token }),
    ]);
    await steps.send(APP, `GET ${USERS}/me`, { token }, [400]);
    await ofSupport('GET');
    await ofSupport('GET', '/audit?limit=1', undefined, [200]);
    await ofSupport('POST', '/enroll', { srts: [receipt] });
  },

  'subscriptions whose events arrive in any order': async (steps) => {
    const krn = newKrn('fuzz');
    const subscriptionId = uniqueId('sub');
    const now = Date.now();
    const data = { ...purchaseData({ subscriptionId, plan: 'pro', krn }), entitlements: ALL_ENTITLEMENTS };
    const event = (type: string, minutes: number, content: object = { subscriptionId, customer: { krn } }) =>
      billingWebhook(type, content, { timestamp: new Date(now + minutes * 60_000) });
    const events = [
      event('purchased', 0, data),
      event('purchased', -600, data),
      event('refunded', 5),
      event('cancelled', -900),
      event('renewed', 10),
      event('expired', 0),
      event('charged_back', -1_000_000),
    ];
    const order = events.map((one) => ({ one, at: steps.choice.below(1_000) })).sort((a, b) => a.at - b.at);
    await Promise.all(order.flatMap(({ one }) => [steps.webhook(one), steps.webhook(one)]));
    const token = await steps.platform.outside.token(krn, SECOND_FACTOR);
    await steps.send(APP, `GET ${USERS}/me`, { token }, [400]);
  },

  'locations that a client has already': async (steps) => {
    const token = await steps.platform.outside.token(newKrn('fuzz'));
    const get = (query: string, headers: Record<string, string>, expected: number[]) =>
      steps.send('discovery', `GET /ids2/locations${query}`, { token, headers }, expected);
    const { headers, body } = await get('', {}, [200]);
    const etag = headers.get('etag') ?? '';
    await get('', { 'if-none-match': etag }, [304]);
    await get('', { 'if-none-match': `"x", W/${etag}, *` }, [200, 304]);
    await get('?protocols=lightway,lightway', { 'if-none-match': etag }, [200, 304]);
    await get('?protocols=unknown', {}, [400]);
    const id = encodeURIComponent(body.locations?.[0]?.id ?? 'none');
    await steps.send('discovery', `GET /ids2/locations/${id}/instances`, { token }, [200]);
    await steps.send('discovery', `GET /ids2/locations/${id}x/instances`, { token }, [404]);
  },
};
