import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { issueServiceToken } from '@tandem/auth';
import { type PostbackConfigurationView, postbackConfigurationPath } from '@tandem/contracts';
import { ServiceUnavailableError, ValidationFailedError } from '@tandem/service-defaults';
import { Agent, request } from 'undici';
import { PartnerGatewayConfig } from '../config';
import { PostbackNotConfiguredError } from './postback.errors';

/** Whose configuration is meant, and the request on whose behalf it is asked for. */
export interface PostbackCaller {
  partnerId: string;
  environment: string;
  requestId: string;
}

interface Answer {
  status: number;
  body: unknown;
}

/** postback-dispatcher, which owns the postback configurations, over its internal HTTP. */
@Injectable()
export class PostbackClient implements OnApplicationShutdown {
  private readonly logger = new Logger(PostbackClient.name);
  private readonly agent: Agent;

  constructor(private readonly config: PartnerGatewayConfig) {
    this.agent = new Agent({ connections: 32, connect: { timeout: config.POSTBACK_DISPATCHER_TIMEOUT_MS } });
  }

  /** @throws PostbackNotConfiguredError, ServiceUnavailableError */
  async getConfiguration(caller: PostbackCaller): Promise<PostbackConfigurationView> {
    const answer = await this.call('GET', caller);
    if (answer.status === 200) return answer.body as PostbackConfigurationView;
    if (answer.status === 404 && codeOf(answer) === 'postback_not_configured') throw new PostbackNotConfiguredError();
    throw this.unexpected(answer);
  }

  /**
   * @param wanted what the partner sent: its rules are the dispatcher's
   * @throws ValidationFailedError with the dispatcher's fields, ServiceUnavailableError
   */
  async saveConfiguration(
    caller: PostbackCaller,
    wanted: object,
  ): Promise<{ created: boolean; configuration: PostbackConfigurationView }> {
    const answer = await this.call('PUT', caller, JSON.stringify(wanted));
    if (answer.status === 200 || answer.status === 201) {
      return { created: answer.status === 201, configuration: answer.body as PostbackConfigurationView };
    }
    if (answer.status === 422) throw new ValidationFailedError(fieldsOf(answer));
    throw this.unexpected(answer);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.close();
  }

  private async call(method: 'GET' | 'PUT', caller: PostbackCaller, body?: string): Promise<Answer> {
    const { partnerId, environment, requestId } = caller;
    const url = new URL(postbackConfigurationPath(partnerId, environment), this.config.POSTBACK_DISPATCHER_URL);
    const token = issueServiceToken({
      secrets: this.config.internalTokenSecrets,
      from: 'partner-gateway',
      audience: 'postback-dispatcher',
      now: new Date(),
    });
    try {
      const answer = await request(url, {
        method,
        dispatcher: this.agent,
        headers: {
          authorization: `Bearer ${token}`,
          'x-request-id': requestId,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body ?? null,
        // Body read included: a dispatcher that stops in the middle is as good as none.
        signal: AbortSignal.timeout(this.config.POSTBACK_DISPATCHER_TIMEOUT_MS),
      });
      const text = await answer.body.text();
      return { status: answer.statusCode, body: text === '' ? null : JSON.parse(text) };
    } catch (cause) {
      throw unavailable({ cause });
    }
  }

  /** An outage of the other side, or a fault between the two of us: no fault of the partner's. */
  private unexpected({ status, body }: Answer): ServiceUnavailableError {
    const code = codeOf({ status, body });
    const line = { msg: 'postback-dispatcher gave an answer that was not agreed', status, code };
    if (status === 503) this.logger.warn(line);
    else this.logger.error(line);
    return unavailable();
  }
}

const unavailable = (options?: ErrorOptions): ServiceUnavailableError =>
  new ServiceUnavailableError('Postback configurations cannot be reached now; try again.', 5, options);

const codeOf = ({ body }: Answer): unknown => (isObject(body) ? body['code'] : undefined);

function fieldsOf({ body }: Answer): { field: string; message: string }[] {
  const errors: unknown[] = isObject(body) && Array.isArray(body['errors']) ? body['errors'] : [];
  return errors.filter(isObject).map(({ field, message }) => ({ field: String(field), message: String(message) }));
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
