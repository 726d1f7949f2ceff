import type { Inbox } from './inbox';
import { checkPostback, type PostbackSecrets } from './postback-checks';
import type { Scene } from './scene';

/** The partner of the suspicious sales, with the inbox that receives its postbacks. */
export interface SuspectPartner {
  token: string;
  promotionCode: string;
  contactEmail: string;
  inbox: Inbox;
  secrets: PostbackSecrets;
}

/** Makes two suspicious purchases. The manager releases one and refuses the other. */
export async function holdAndRelease(scene: Scene, partner: SuspectPartner): Promise<void> {
  const { narrator } = scene;
  const { promotionCode, inbox } = partner;
  narrator.chapter("Somebody buys with the partner's own address, and somebody with a disposable one");
  const own = await scene.buy({ promotionCode, data4: 'own', email: partner.contactEmail.toUpperCase() });
  const disposable = await scene.buy({ promotionCode, email: `demo.${scene.run}@mailinator.com` });
  const held = await scene.untilListed(own.oid, 'held');
  narrator.received('among the held sales', { oid: held.oid, holdReason: held.holdReason });
  narrator.equal('the purchase with the partner’s address is held', held.holdReason, 'buyer_is_partner');
  narrator.equal(
    'the purchase with a disposable address is held too',
    (await scene.untilListed(disposable.oid, 'held')).holdReason,
    'disposable_email',
  );
  const revoked = await scene.partner(partner.token, 'PUT', '/subscription/revoke', {
    body: { subscriptionId: own.oid },
  });
  scene.expectRefusal('a held sale cannot be revoked', revoked, 409, 'sale_not_revocable');
  narrator.equal('no postback was sent', (await inbox.postbacksOf(own.oid)).length, 0);

  narrator.chapter('The manager reviews them: releases the first, refuses the second');
  const refused = await scene.manager('POST', `/sales/${disposable.oid}/refuse`);
  scene.expectStatus(refused, 200);
  narrator.equal('the refused sale has failed permanently', refused.body.status, 'failed');
  const released = await scene.manager('POST', `/sales/${own.oid}/release`);
  scene.expectStatus(released, 200);
  narrator.equal('the released sale is qualified', released.body.status, 'qualified');
  const [postback] = await inbox.waitFor(own.oid);
  if (!postback) throw new Error('the postback is missing');
  checkPostback(narrator, postback, partner.secrets);
  narrator.equal('its postback arrives now', [postback.body.oid, postback.body.sharedId], [own.oid, 'own']);
  const changed = await scene.manager('POST', `/sales/${disposable.oid}/release`);
  narrator.equal('a decision is final', changed.status, 409);
  narrator.equal('the refused sale has no postback', (await inbox.postbacksOf(disposable.oid)).length, 0);
}
