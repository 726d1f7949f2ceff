import type { CallOptions } from '../../../sdks/typescript/options.ts';
import { itemsOf, segment } from './pages.ts';
import type { Transport } from '../../../sdks/typescript/transport.ts';
import type {
  Delivery,
  DeliveryFilter,
  ListenPosition,
  PostbackConfiguration,
  PostbackRequestPage,
  PostbackSettings,
  PostbackTest,
  ReplayedDeliveries,
  ReplayedDelivery,
  ReplayRange,
  SigningSecret,
} from './types.ts';

/** Where sales are reported to. A test and a live token have one configuration each. */
export class PostbackSetup {
  constructor(private readonly transport: Transport) {}

  /** @throws NotFoundError with `postback_not_configured` */
  get(options?: CallOptions): Promise<PostbackConfiguration> {
    return this.transport.send({ method: 'GET', path: '/postback', repeatable: 'always' }, options);
  }

  /** Saves the configuration and enables it. Only the first save returns the `signingSecret`. */
  save(settings: PostbackSettings, options?: CallOptions): Promise<PostbackConfiguration> {
    return this.transport.send(post('/postback', { ...settings }), options);
  }

  /** Creates a signing secret. For 24 hours postbacks are signed with the old one too: verify with both. */
  rotateSecret(options?: CallOptions): Promise<SigningSecret> {
    return this.transport.send(post('/postback/signing-secret'), options);
  }

  /** Sends a sample to your endpoint and returns how it answered. Its `oid` begins with `test_`. */
  test(options?: CallOptions): Promise<PostbackTest> {
    return this.transport.send(post('/postback/test'), options);
  }

  /**
   * Reads the postbacks of test sales, oldest first, whether or not you have an endpoint. Pass `nextCursor` of one page as `cursor` of the
   * next call: each postback comes once. For test tokens only. `npx @tandem/partner listen` does this, and forwards them to a port.
   */
  listen(position: ListenPosition = {}, options?: CallOptions): Promise<PostbackRequestPage> {
    const query = { ...position };
    return this.transport.send({ method: 'GET', path: '/postback/listen', query, repeatable: 'always' }, options);
  }
}

/** The postbacks that were sent, or are to be sent. */
export class Deliveries {
  constructor(private readonly transport: Transport) {}

  /** Newest first, for 90 days. */
  list(filter: DeliveryFilter = {}, options?: CallOptions): AsyncGenerator<Delivery, void, undefined> {
    return itemsOf(this.transport, '/postback/deliveries', filter, options);
  }

  /** Sends a delivery again, with the same `webhook-id`. */
  async replay(id: string, options?: CallOptions): Promise<ReplayedDelivery> {
    return this.transport.send(post(`/postback/deliveries/${segment(id)}/replay`), options);
  }

  /** Sends everything of the range that was not delivered, or has the given status, again. */
  replayRange(range: ReplayRange, options?: CallOptions): Promise<ReplayedDeliveries> {
    return this.transport.send(post('/postback/deliveries/replay', { ...range }), options);
  }
}

const post = (path: string, body?: Readonly<Record<string, unknown>>) =>
  ({ method: 'POST', path, body, repeatable: 'unsent' }) as const;
