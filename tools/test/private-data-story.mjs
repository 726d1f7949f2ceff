import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { requestJson } from '../stack/http.mjs';
import { withConnection } from './written-data.mjs';

/** The personal data that the user and billing send. */
const PERSON = {
  firstName: 'Zebulonia',
  lastName: 'Quackenbush',
  dob: '1971-11-23',
  emailAddress: 'zebulonia.quackenbush@mailbox.test',
  phoneNumber: '5039174460',
  ssn: '287653109',
  address: { street: '4711 Hollyhock Terrace', city: 'Wilsonvillage', state: 'OR', zip: '97070-1234' },
};
const CHANGED = {
  emailAddress: 'new.quackenbush@letterbox.test',
  phoneNumber: '5417726189',
  ssn: '519284736',
  address: { street: '815 Foxglove Crescent', city: 'Marigoldton', state: 'WA', zip: '98101-5678' },
};
/**
 * The values that must not be found anywhere: the personal data (except the state, which is too short), parts of the data, and other common
 * formats of the data.
 */
export const VALUES = [PERSON, CHANGED]
  .flatMap(({ address: { street, city, zip }, ...fields }) => [...Object.values(fields), street, city, zip])
  .concat('zebulonia.quackenbush', 'Hollyhock', '503-917-4460', '(503) 917-4460', '287-65-3109', '519-28-4736')
  .concat('23.11.1971', '11/23/1971', '11-23-1971');

export const KRN = `krn:tandem:test:user:${randomUUID()}`;
export const OID = `sub_${randomUUID()}`;
/**
 * Plays a user who buys a plan, creates a profile, sends invalid requests, and changes and reads the profile. Support changes the profile
 * too, and the vendor fails several times.
 *
 * @param {any} stack  the content of stack.json
 * @returns {Promise<string[]>} the answers to refused requests
 */
export async function liveOn({ baseUrl, sandbox, support, webhooks, postgres }) {
  const minted = await requestJson('POST', `${sandbox.issuer}/token`, {
    body: { family: 'service', sub: KRN, amr: ['mfa'], authTime: Math.floor(Date.now() / 1000) },
  });
  const refused = [];
  const askAs = (token, prefix) => async (expected, method, at, body) => {
    // Uses fetch, because requestJson would quote a body that is text.
    const answer = await fetch(`${baseUrl}${prefix}${at}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      body: typeof body === 'object' ? JSON.stringify(body) : body,
    });
    const text = await answer.text();
    if (answer.status >= 400) refused.push(text);
    assert.equal(answer.status, expected, `${method} ${at}: ${text}`);
    return text;
  };
  const ask = askAs(minted.body.token, '/idp/array/users');
  const askAsSupport = askAs(support.token, `/idp/support/users/${KRN}`);
  const fail = (route, fault, times) =>
    requestJson('PUT', `${sandbox.vendor}/faults`, { body: { route, fault, times } });

  await sell(`${baseUrl}/idp/payments/webhook`, webhooks.payments.secret);
  await untilEntitled(postgres.url);
  await ask(400, 'POST', '', {
    ...PERSON,
    ssn: `${PERSON.ssn}0`,
    phoneNumber: '+1 (503) 917-4460 ext',
    dob: '1871-11-23',
  });
  await ask(400, 'POST', '', JSON.stringify(PERSON).slice(0, -1));
  await fail('users', 'error', 1);
  await ask(502, 'POST', '', { ...PERSON, version: 1 });
  await ask(200, 'POST', '', { ...PERSON, version: 1 });
  await ask(200, 'GET', '/me');
  await ask(200, 'PATCH', '/me', { emailAddress: CHANGED.emailAddress, phoneNumber: CHANGED.phoneNumber });
  await ask(200, 'PATCH', '/me', { ssn: CHANGED.ssn, address: CHANGED.address });
  await ask(200, 'GET', '/me/dashboard');
  await askAsSupport(400, 'PATCH', '', { ...CHANGED, dob: PERSON.ssn });
  await fail('verify', 'refuse', 1);
  await askAsSupport(400, 'PATCH', '', CHANGED);
  await askAsSupport(200, 'PATCH', '', CHANGED);
  await askAsSupport(200, 'GET', '');
  await fail('verify', 'refuse', 1);
  await ask(429, 'PATCH', '/me', { ssn: PERSON.ssn });
  await ask(404, 'GET', `/me/${encodeURIComponent(PERSON.emailAddress)}?ssn=${PERSON.ssn}`);
  return refused;
}

/** Waits until the purchase has reached idp-api over the bus. */
const untilEntitled = (url) =>
  withConnection(url, async (client) => {
    const known = () => client.query('select 1 from idp.subscription where krn = $1', [KRN]);
    while ((await known()).rowCount === 0) await delay(50);
  });

/** Sends webhooks as billing does, with more data about the buyer than any app needs. */
async function sell(url, secret) {
  const { emailAddress: email, phoneNumber: phone, ...person } = PERSON;
  const { billingWebhook, call, purchaseData, signable, signedHeaders } = createRequire(import.meta.url)(
    '@tandem/stack-client',
  );
  const customer = { krn: KRN, email, phone, ...person };
  const data = { ...purchaseData({ subscriptionId: OID, plan: 'pro', attribution: {} }), customer };
  for (const paymentStatus of ['captured', 'unheard of']) {
    const { id, body } = signable(billingWebhook('purchased', { ...data, paymentStatus }));
    const { status, text } = await call(url, { method: 'POST', body, headers: signedHeaders(secret, body, id) });
    assert.equal(status, paymentStatus === 'captured' ? 200 : 400, text);
  }
}
