import type { Answer } from './client';
import { isSignedBy, type Inbox, type Postback } from './inbox';
import { checkPostback, type PostbackSecrets } from './postback-checks';
import type { Scene } from './scene';

interface Attempt {
  number: number;
  at: string;
  status: number | null;
  latencyMs: number;
  error: string | null;
  response: string | null;
}

interface Delivery {
  id: string;
  oid: string;
  status: string;
  createdAt: string;
  deliveredAt: string | null;
  attempts: Attempt[];
}

/** The partner that owns the deliveries, with its endpoint in the sandbox. */
export interface Receiver {
  token: string;
  promotionCode: string;
  inbox: Inbox;
  secrets: PostbackSecrets;
}

/** Shows how a partner's engineer looks up deliveries, replays them, and tests a new signing secret. */
export class DeliveryStory {
  private readonly inbox: Inbox;
  private readonly secrets: PostbackSecrets;

  constructor(
    private readonly scene: Scene,
    private readonly receiver: Receiver,
  ) {
    this.inbox = receiver.inbox;
    this.secrets = receiver.secrets;
  }

  /**
   * Looks up the delivery of a sale, checks that the first attempts failed, and replays the delivery.
   * @param failures the number of failed attempts
   */
  async lookUpAndReplay(oid: string, failures: number): Promise<void> {
    const { scene, inbox } = this;
    const { narrator } = scene;
    narrator.chapter('The partner looks up its deliveries, and has one sent again');
    const listed = await this.partner('GET', '/deliveries?status=delivered&limit=10');
    scene.expectStatus(listed, 200);
    const delivery = (listed.body.items as Delivery[]).find((item) => item.oid === oid);
    if (!delivery) throw new Error(`the delivery of ${oid} is not in the log`);
    narrator.received('the delivery whose first attempts failed', delivery);
    const { id, attempts } = delivery;
    narrator.equal(
      'each attempt has its status',
      attempts.map(({ number, status }) => [number, status]),
      [...Array.from({ length: failures }, (_none, index) => [index + 1, 500]), [failures + 1, 200]],
    );
    narrator.check("the failed attempt has its error and the endpoint's answer", isExplained(attempts[0]), attempts[0]);
    narrator.check('the successful attempt has no error', attempts.at(-1)?.error === null, attempts.at(-1));
    const unknown = await this.partner('GET', '/deliveries?status=lost');
    scene.expectRefusal('an unknown status is refused', unknown, 422, 'validation_failed');

    const replayed = await this.partner('POST', `/deliveries/${id}/replay`);
    scene.expectStatus(replayed, 202);
    narrator.equal('the answer names the replayed delivery', replayed.body, { id });
    const all = await inbox.waitFor(oid, failures + 2);
    const again = all.at(-1);
    if (!again) throw new Error('the postback is missing');
    checkPostback(narrator, again, this.secrets);
    narrator.equal('the webhook-id is the same', webhookIds(all), [id]);
    narrator.equal('the body is the same', again.rawBody, all[0]?.rawBody);
  }

  /** Gets a new signing secret, and requests a sample postback that is signed with it. */
  async trySigning(): Promise<void> {
    const { scene, inbox } = this;
    const { narrator } = scene;
    narrator.chapter('The partner gets a new signing secret, and tests its endpoint with a sample');
    const rotated = await this.partner('POST', '/signing-secret');
    scene.expectStatus(rotated, 200);
    const old = this.secrets.signing;
    const signing = String(rotated.body.signingSecret);
    narrator.check('the secret is a new one', /^whsec_/.test(signing) && signing !== old);
    await inbox.addSigningSecret(signing);
    const tested = await this.partner('POST', '/test');
    scene.expectStatus(tested, 200);
    narrator.equal(
      'the result contains the endpoint’s answer',
      [tested.body.delivered, tested.body.status, tested.body.error],
      [true, 200, null],
    );
    const sample = await inbox.newest();
    checkPostback(narrator, sample, { ...this.secrets, signing });
    narrator.check(
      'the oid of the sample starts with test_',
      String(sample.body.oid).startsWith('test_'),
      sample.body.oid,
    );
    narrator.check('the sample is also signed with the previous secret', isSignedBy(old, sample));
    this.secrets.signing = signing;
  }

  /** Shows that an endpoint that answers 410 gets no more requests, and that its deliveries are kept and can be replayed. */
  async disableAndCatchUp(): Promise<void> {
    const { scene, inbox } = this;
    const { narrator } = scene;
    const { promotionCode } = this.receiver;
    narrator.chapter("The partner's endpoint answers 410: it is gone");
    await inbox.failNext(1, 410);
    const refused = await scene.buy({ promotionCode });
    await inbox.waitFor(refused.oid);
    const disabled = await scene.until('the configuration is disabled', async () => {
      const { body } = await scene.partner(this.receiver.token, 'GET', '/postback', { silent: true });
      return body.status === 'disabled' ? body : undefined;
    });
    narrator.received('the configuration', disabled);
    narrator.equal('the configuration is disabled, with the reason', disabled.disabledReason, 'endpoint_gone');
    const missed = await scene.buy({ promotionCode });
    const kept = await scene.until(`the postback of ${missed.oid} is held`, () =>
      this.findDelivery(missed.oid, 'held'),
    );
    narrator.received('the held delivery', kept);
    narrator.equal('the held postback was not sent', (await inbox.postbacksOf(missed.oid)).length, 0);

    narrator.chapter('The partner enables its endpoint again, and catches up');
    const saved = await this.partner('POST', '', { url: inbox.endpoint, authMethod: 'Bearer' });
    scene.expectStatus(saved, 200);
    narrator.equal(
      'the configuration is active again, with its key',
      [saved.body.status, saved.body.hasKey],
      ['active', true],
    );
    const first = await this.getDelivery(refused.oid);
    const range = { from: first.createdAt, to: new Date(Date.parse(kept.createdAt) + 1).toISOString() };
    const replayed = await this.partner('POST', '/deliveries/replay', range);
    scene.expectStatus(replayed, 202);
    narrator.equal('every undelivered postback of that time is sent again', replayed.body, { count: 2 });
    const [late] = await inbox.waitFor(missed.oid);
    if (!late) throw new Error('the postback is missing');
    checkPostback(narrator, late, this.secrets);
    narrator.equal('the held postback is sent', late.body.oid, missed.oid);
    narrator.equal(
      'the postback that was answered with 410 is sent again, under its webhook-id',
      webhookIds(await inbox.waitFor(refused.oid, 2)),
      [first.id],
    );
  }

  private partner(method: string, path: string, body?: object): Promise<Answer> {
    return this.scene.partner(this.receiver.token, method, `/postback${path}`, { body });
  }

  private async getDelivery(oid: string): Promise<Delivery> {
    const found = await this.findDelivery(oid);
    if (!found) throw new Error(`the delivery of ${oid} is not in the log`);
    return found;
  }

  /** Searches the newest deliveries for the delivery of a sale. */
  private async findDelivery(oid: string, status?: string): Promise<Delivery | undefined> {
    const path = `/postback/deliveries${status ? `?status=${status}` : ''}`;
    const { body } = await this.scene.partner(this.receiver.token, 'GET', path, { silent: true });
    return (body.items as Delivery[]).find((delivery) => delivery.oid === oid);
  }
}

/** Returns whether a failed attempt has an error, the endpoint's answer and a latency. */
const isExplained = (attempt: Attempt | undefined): boolean =>
  Boolean(attempt?.error && attempt.response?.includes('told to answer 500')) && attempt?.latencyMs !== undefined;

const webhookIds = (postbacks: Postback[]): (string | undefined)[] => [
  ...new Set(postbacks.map(({ headers }) => headers['webhook-id'])),
];
