import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { issueServiceToken } from '@tandem/auth';
import {
  type EndpointLimits,
  endpointLimitsPath,
  isDeliveryId,
  postbackConfigurationPath,
  type PostbackConfigurationView,
  postbackDeliveriesPath,
  postbackEnablePath,
  type PostbackEndpointStatus,
  postbackRangeReplayPath,
  postbackReplayPath,
  postbackSigningSecretPath,
  postbackStatusPath,
  postbackTestPath,
  type SavedEndpointLimits,
} from '@tandem/contracts';
import { internalCall, ServiceUnavailableError, ValidationFailedError } from '@tandem/service-defaults';
import { Agent, request } from 'undici';
import { PartnerGatewayConfig } from '../config';
import { InvalidCursorError } from '../paging/paging.errors';
import type { ListDeliveriesQuery } from './postback-delivery.dto';
import { DeliveryNotFoundError, PostbackDisabledError, PostbackNotConfiguredError } from './postback.errors';

/** Whose configuration is meant, and the request on whose behalf it is asked for. */
export interface PostbackCaller {
  partnerId: string;
  environment: string;
  requestId: string;
}

/** JSON as postback-dispatcher wrote it: it is passed on as it is. */
export type RelayedJson = string;

interface Call {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  query?: Record<string, string | undefined>;
  body?: object;
  requestId: string;
  /** The call waits for a partner's endpoint. */
  slow?: boolean;
}

interface Answer {
  status: number;
  text: RelayedJson;
}

/** Longer than any cursor that was ever given out. */
const LONGEST_CURSOR = 255;

const ERRORS: Readonly<Record<string, new () => Error>> = {
  '400 invalid_cursor': InvalidCursorError,
  '404 postback_not_configured': PostbackNotConfiguredError,
  '404 delivery_not_found': DeliveryNotFoundError,
  '409 postback_disabled': PostbackDisabledError,
};

/**
 * postback-dispatcher, which owns postback configurations and deliveries, over its internal HTTP. All throw
 * ServiceUnavailableError.
 */
@Injectable()
export class PostbackClient implements OnApplicationShutdown {
  private readonly logger = new Logger(PostbackClient.name);
  private readonly agent: Agent;
  /** Hung endpoints of some partners must not take the connections that all others need. */
  private readonly slowAgent: Agent;

  constructor(private readonly config: PartnerGatewayConfig) {
    const connect = { timeout: config.POSTBACK_DISPATCHER_TIMEOUT_MS };
    this.agent = new Agent({ connections: 32, connect });
    this.slowAgent = new Agent({ connect });
  }

  /** @throws PostbackNotConfiguredError */
  async getConfiguration({ partnerId, environment, requestId }: PostbackCaller): Promise<PostbackConfigurationView> {
    const path = postbackConfigurationPath(partnerId, environment);
    const { text } = await this.call([200], { method: 'GET', path, requestId });
    return parsed(text);
  }

  /** @throws PostbackNotConfiguredError */
  async getStatus({ partnerId, environment, requestId }: PostbackCaller): Promise<PostbackEndpointStatus> {
    const path = postbackStatusPath(partnerId, environment);
    const { text } = await this.call([200], { method: 'GET', path, requestId });
    return parsed(text);
  }

  /** May be repeated. @throws PostbackNotConfiguredError */
  async enable({ partnerId, environment, requestId }: PostbackCaller): Promise<PostbackEndpointStatus> {
    const path = postbackEnablePath(partnerId, environment);
    const { text } = await this.call([200], { method: 'POST', path, requestId });
    return parsed(text);
  }

  /**
   * @param wanted what the partner sent: its rules are the dispatcher's
   * @throws ValidationFailedError with the dispatcher's fields
   */
  async saveConfiguration(
    { partnerId, environment, requestId }: PostbackCaller,
    wanted: object,
  ): Promise<{ created: boolean; configuration: PostbackConfigurationView }> {
    const path = postbackConfigurationPath(partnerId, environment);
    const { status, text } = await this.call([200, 201], { method: 'PUT', path, body: wanted, requestId });
    return { created: status === 201, configuration: parsed(text) };
  }

  /** @throws PostbackNotConfiguredError */
  rotateSigningSecret({ partnerId, environment, requestId }: PostbackCaller): Promise<RelayedJson> {
    const path = postbackSigningSecretPath(partnerId, environment);
    return this.relay(200, { method: 'POST', path, requestId });
  }

  /** Takes as long as the partner's endpoint does, up to the time of an attempt. @throws PostbackNotConfiguredError */
  sendTest({ partnerId, environment, requestId }: PostbackCaller): Promise<RelayedJson> {
    const path = postbackTestPath(partnerId, environment);
    return this.relay(200, { method: 'POST', path, requestId, slow: true });
  }

  /** @throws InvalidCursorError, ValidationFailedError */
  async listDeliveries(
    { partnerId, environment, requestId }: PostbackCaller,
    { cursor, status, oid, refId, limit }: ListDeliveriesQuery,
  ): Promise<RelayedJson> {
    if (cursor !== undefined && cursor.length > LONGEST_CURSOR) throw new InvalidCursorError();
    const path = postbackDeliveriesPath(partnerId, environment);
    const query = { cursor, status, oid, refId, limit: limit?.toString() };
    return this.relay(200, { method: 'GET', path, query, requestId });
  }

  /** @throws DeliveryNotFoundError, PostbackNotConfiguredError, PostbackDisabledError */
  async replayDelivery({ partnerId, environment, requestId }: PostbackCaller, id: string): Promise<RelayedJson> {
    if (!isDeliveryId(id)) throw new DeliveryNotFoundError();
    return this.relay(202, { method: 'POST', path: postbackReplayPath(partnerId, environment, id), requestId });
  }

  /**
   * @param range what the partner sent: its rules are the dispatcher's
   * @throws ValidationFailedError with the dispatcher's fields, PostbackNotConfiguredError, PostbackDisabledError
   */
  replayRange({ partnerId, environment, requestId }: PostbackCaller, range: object): Promise<RelayedJson> {
    const path = postbackRangeReplayPath(partnerId, environment);
    return this.relay(202, { method: 'POST', path, body: range, requestId });
  }

  /** May be repeated. */
  async saveEndpointLimits(partnerId: string, limits: EndpointLimits, requestId: string): Promise<SavedEndpointLimits> {
    const path = endpointLimitsPath(partnerId);
    const { text } = await this.call([200], { method: 'PUT', path, body: limits, requestId });
    return parsed(text);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.agent.close(), this.slowAgent.close()]);
  }

  private async relay(expected: number, call: Call): Promise<RelayedJson> {
    return (await this.call([expected], call)).text;
  }

  /** The answer, when it has an expected status; else the error that it tells of. */
  private async call(expected: readonly number[], call: Call): Promise<Answer> {
    const answer = await this.send(call);
    if (expected.includes(answer.status)) return answer;
    const { code, errors } = problemOf(answer.text);
    const known = ERRORS[`${answer.status} ${code}`];
    if (known) throw new known();
    if (answer.status === 422 && code === 'validation_failed') throw new ValidationFailedError(errors);
    throw this.unexpected(answer.status, code);
  }

  private async send({ method, path, query = {}, body, requestId, slow = false }: Call): Promise<Answer> {
    const url = new URL(path, this.config.POSTBACK_DISPATCHER_URL);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
    const token = issueServiceToken({
      secrets: this.config.internalTokenSecrets,
      from: 'partner-gateway',
      audience: 'postback-dispatcher',
      now: new Date(),
    });
    const timeoutMs = slow ? this.config.POSTBACK_TEST_TIMEOUT_MS : this.config.POSTBACK_DISPATCHER_TIMEOUT_MS;
    // Body read included: a dispatcher that stops in the middle is as good as none.
    const { headers, signal } = internalCall(timeoutMs);
    try {
      const answer = await request(url, {
        method,
        dispatcher: slow ? this.slowAgent : this.agent,
        headers: {
          ...headers,
          authorization: `Bearer ${token}`,
          'x-request-id': requestId,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal,
      });
      return { status: answer.statusCode, text: await answer.body.text() };
    } catch (cause) {
      throw unavailable({ cause });
    }
  }

  /** An outage of the other side, or a fault between the two of us: no fault of the partner's. */
  private unexpected(status: number, code: unknown): ServiceUnavailableError {
    const line = { msg: 'postback-dispatcher gave an answer that was not agreed', status, code };
    if (status === 503) this.logger.warn(line);
    else this.logger.error(line);
    return unavailable();
  }
}

const unavailable = (options?: ErrorOptions): ServiceUnavailableError =>
  new ServiceUnavailableError('Postbacks cannot be reached now; try again.', 5, options);

function parsed<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw unavailable({ cause });
  }
}

/** What a problem+json says; nothing, when it is none. */
function problemOf(text: string): { code: unknown; errors: { field: string; message: string }[] } {
  let problem: unknown = null;
  try {
    problem = JSON.parse(text);
  } catch {
    // An answer of somebody in between: it has no code, and counts as unexpected.
  }
  if (!isObject(problem)) return { code: undefined, errors: [] };
  const errors: unknown[] = Array.isArray(problem['errors']) ? problem['errors'] : [];
  const fields = errors
    .filter(isObject)
    .map(({ field, message }) => ({ field: String(field), message: String(message) }));
  return { code: problem['code'], errors: fields };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
