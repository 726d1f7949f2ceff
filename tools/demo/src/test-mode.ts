import { checkPostback } from './postback-checks';
import type { Scene } from './scene';

/** Lets a partner try postbacks, a sale and a revocation with a test token, whose data is separate from live data. */
export async function tryInTestMode(
  scene: Scene,
  partner: { token: string; testToken: string; liveOid: string },
): Promise<void> {
  const { narrator } = scene;
  const { testToken } = partner;
  narrator.chapter('The partner tries its integration with a test token');
  const inbox = scene.inbox('demo-test');
  const missing = await scene.partner(testToken, 'GET', '/postback');
  scene.expectRefusal('the live configuration does not apply', missing, 404, 'postback_not_configured');
  const key = `test-key-${scene.run}`;
  const saved = await scene.partner(testToken, 'POST', '/postback', {
    body: { url: inbox.endpoint, authMethod: 'Bearer', key },
  });
  scene.expectStatus(saved, 201);
  const signing = String(saved.body.signingSecret);
  await inbox.addSigningSecret(signing);

  const refId = `test-${scene.run}`;
  const created = await scene.partner(testToken, 'GET', `/subscription/create-checkout-url?ref_id=${refId}`);
  scene.expectStatus(created, 200);
  const { oid } = await scene.buy({ checkoutUrl: created.body.checkoutUrl });
  const [postback] = await inbox.waitFor(oid);
  if (!postback) throw new Error('the postback is missing');
  checkPostback(narrator, postback, { key, signing });
  narrator.equal('the postback is marked as a test', postback.headers['x-environment'], 'test');
  narrator.equal('the postback has the reference', postback.body.sharedId, refId);

  const revoke = (token: string, subscriptionId: string) =>
    scene.partner(token, 'PUT', '/subscription/revoke', { body: { subscriptionId } });
  const byLive = await revoke(partner.token, oid);
  scene.expectRefusal('the live token does not find the test sale', byLive, 404, 'subscription_not_found');
  const byTest = await revoke(testToken, partner.liveOid);
  scene.expectRefusal('the test token does not find the live sale', byTest, 404, 'subscription_not_found');
  scene.expectStatus(await revoke(testToken, oid), 200);
}
