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
  ReplayCount,
  ReplayedDeliveries,
  ReplayedDelivery,
  ReplayRange,
  SigningSecret,
} from './types.ts';

/**
 * The calls for the configuration of the endpoint to which sales are reported. Test tokens and live tokens have one configuration each.
 */
export class PostbackSetup {
  constructor(private readonly transport: Transport) {}

  /** Returns the configuration. @throws NotFoundError with `postback_not_configured` */
  get(options?: CallOptions): Promise<PostbackConfiguration> {
    return this.transport.send({ method: 'GET', path: '/postback', repeatable: 'always' }, options);
  }

  /** Saves the configuration and enables it. Only the first save returns the `signingSecret`. */
  save(settings: PostbackSettings, options?: CallOptions): Promise<PostbackConfiguration> {
    return this.transport.send(post('/postback', { ...settings }), options);
  }

  /** Creates a signing secret. For 24 hours, postbacks are signed with the old and the new secret: verify with both. */
  rotateSecret(options?: CallOptions): Promise<SigningSecret> {
    return this.transport.send(post('/postback/signing-secret'), options);
  }

  /** Sends a sample to your endpoint, and returns the endpoint's answer. The sample's `oid` begins with `test_`. */
  test(options?: CallOptions): Promise<PostbackTest> {
    return this.transport.send(post('/postback/test'), options);
  }

  /**
   * Reads the postbacks and notices of test sales, oldest first, whether or not you have an endpoint. Pass `nextCursor` of one page as
   * `cursor` of the next call, so that you get each postback or notice once. For test tokens only. The command
   * `npx @tandem/partner listen` uses this call to forward the postbacks and notices to a port of your machine.
   */
  listen(position: ListenPosition = {}, options?: CallOptions): Promise<PostbackRequestPage> {
    const query = { ...position };
    return this.transport.send({ method: 'GET', path: '/postback/listen', query, repeatable: 'always' }, options);
  }
}

/** The calls for deliveries: the postbacks and notices that were sent, or are to be sent. */
export class Deliveries {
  constructor(private readonly transport: Transport) {}

  /** Lists the deliveries of the last 90 days, newest first. */
  list(filter: DeliveryFilter = {}, options?: CallOptions): AsyncGenerator<Delivery, void, undefined> {
    return itemsOf(this.transport, '/postback/deliveries', filter, options);
  }

  /** Sends a delivery again, with the same `webhook-id`. */
  async replay(id: string, options?: CallOptions): Promise<ReplayedDelivery> {
    return this.transport.send(post(`/postback/deliveries/${segment(id)}/replay`), options);
  }

  /** Counts the deliveries that `replayRange` would send now for the same range, and sends nothing. Works without an endpoint too. */
  countReplay(range: ReplayRange, options?: CallOptions): Promise<ReplayCount> {
    const path = '/postback/deliveries/replay';
    return this.transport.send({ method: 'GET', path, query: { ...range }, repeatable: 'always' }, options);
  }

  /**
   * Sends the deliveries of a time range again. `status` selects them; `all` selects those that failed, are held or were delivered. Without
   * a status, the deliveries that failed or are held are sent. Postbacks of sales that were refunded or charged back are left out.
   */
  replayRange(range: ReplayRange, options?: CallOptions): Promise<ReplayedDeliveries> {
    return this.transport.send(post('/postback/deliveries/replay', { ...range }), options);
  }
}

const post = (path: string, body?: Readonly<Record<string, unknown>>) =>
  ({ method: 'POST', path, body, repeatable: 'unsent' }) as const;
