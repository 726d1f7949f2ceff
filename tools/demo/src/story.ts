import { Client } from './client';
import { DeliveryStory } from './deliveries';
import { findServers } from './discovery';
import { holdAndRelease } from './fraud';
import { IdentityStory } from './identity-story';
import type { Narrator } from './narrator';
import { lookAtSales } from './own-sales';
import { SaleStory } from './sales';
import { Scene } from './scene';
import type { Stack } from '@tandem/stack-client';
import { tryInTestMode } from './test-mode';
import { rotateToken } from './tokens';
import { VoucherStory } from './vouchers';

export interface StoryOptions {
  /**
   * The number of times that the partner's endpoint fails before it recovers. After each failure, the demo waits for the
   * retry: by default 5 s after the first failure, and 5 min after the second.
   */
  failures: number;
}

/**
 * Tells the stories of two partners, a user with identity protection and a VPN client on a running stack, using only
 * the HTTP APIs of the stack and its sandbox.
 * @throws when a check does not hold, a request gets no answer, or an expected state is not reached in time
 */
export async function tellStory(stack: Stack, narrator: Narrator, { failures }: StoryOptions): Promise<void> {
  const scene = new Scene(stack, narrator, new Client(narrator));
  const sales = new SaleStory(scene);
  await sales.onboard();
  await sales.configurePostback();
  const first = await sales.sell('a customer opens the checkout URL and buys');
  await sales.refuseForgery();
  await sales.repeatWebhook(first);
  const recovered = await sales.failAndRecover(failures);
  const deliveries = new DeliveryStory(scene, sales.account);
  await deliveries.lookUpAndReplay(recovered.oid, failures);
  await deliveries.trySigning();
  await deliveries.disableAndCatchUp();
  await holdAndRelease(scene, sales.account);
  sales.token.token = await rotateToken(scene, sales.token);
  await tryInTestMode(scene, {
    token: sales.token.token,
    testToken: await sales.issueTestToken(),
    liveOid: first.oid,
  });
  await sales.revoke(first.oid);
  await sales.refund();
  await sales.refundBeforeRetry();
  await lookAtSales(scene, sales.token.token, first.oid);
  await new VoucherStory(scene).tell();
  await new IdentityStory(scene).tell();
  await findServers(scene);
}
