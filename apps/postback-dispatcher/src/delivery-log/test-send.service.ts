import { Injectable, Logger } from '@nestjs/common';
import { type Caller, PostbackNotConfiguredError, type PostbackTestResult } from '@tandem/internal-api';
import { randomBytes } from 'node:crypto';
import { newDeliveryId, postbackBody } from '../delivery/delivery.rules';
import { AttemptClient, PreparedTarget } from '../attempt/attempt.client';
import { errorTextOf } from '../attempt/attempt.rules';
import { EndpointRepository } from '../endpoint-store/endpoint.repository';
import { EndpointSecrets } from '../endpoint-store/endpoint-secrets';

/** A made-up sale. Each send adds a new `oid`, which begins with `test_`, so that the sample cannot be mistaken for a real sale. */
const SAMPLE = {
  sharedId: 'test',
  emailMasked: 'j***e@example.com',
  currency: 'USD',
  items: [{ price: '49.95', quantity: '1', category: 'Advanced, 1 year', tier: 'advanced', sku: 'Sell' as const }],
};

/** Sends sample postbacks, so that partners can test their endpoint. */
@Injectable()
export class TestSendService {
  private readonly logger = new Logger('test-send');

  constructor(
    private readonly endpoints: EndpointRepository,
    private readonly secrets: EndpointSecrets,
    private readonly client: AttemptClient,
  ) {}

  /**
   * Sends one sample immediately, even to a disabled or paused endpoint. The request is like the postback of a sale. The sample is not a
   * delivery: it does not appear in the delivery log, and does not affect the endpoint's breaker.
   * @throws PostbackNotConfiguredError
   */
  async sendTest({ partnerId, environment }: Caller): Promise<PostbackTestResult> {
    const endpoint = await this.endpoints.find(partnerId, environment);
    if (endpoint === null) throw new PostbackNotConfiguredError();
    const oid = `test_${randomBytes(12).toString('hex')}`;
    const outcome = await this.client.send(new PreparedTarget(this.secrets.targetOf(endpoint)), {
      id: newDeliveryId(new Date()),
      environment,
      kind: 'sale',
      body: postbackBody({ oid, ...SAMPLE }),
    });
    const { stage, status, latencyMs, response } = outcome;
    this.logger.log({ msg: 'test.sent', partnerId, environment, oid, stage, status, latencyMs });
    return { delivered: stage === null, status, latencyMs, error: errorTextOf(outcome), response };
  }
}
