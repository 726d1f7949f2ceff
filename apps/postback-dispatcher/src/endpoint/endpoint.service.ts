import { Injectable } from '@nestjs/common';
import { newWebhookSecret } from '@tandem/auth';
import type { Environment } from '@tandem/contracts';
import {
  type PostbackConfigurationView,
  type PostbackEndpointStatus,
  PostbackNotConfiguredError,
  type SavePostbackConfiguration,
} from '@tandem/internal-api';
import { ValidationFailedError } from '@tandem/http-api';
import { randomUUID } from 'node:crypto';
import { DataSource, EntityManager } from 'typeorm';
import { PostbackDispatcherConfig } from '../config';
import { DispatchService } from '../dispatch/dispatch.service';
import { PostbackUrlRefusedError } from '../ssrf/ssrf.errors';
import { SsrfGuard } from '../ssrf/ssrf-guard';
import { Endpoint } from '../endpoint-store/endpoint.entity';
import { EndpointRepository } from '../endpoint-store/endpoint.repository';
import { keyProblem, missingKeyProblem, previousSecretsAfterRotation } from '../endpoint-store/endpoint.rules';
import { EndpointSecrets } from '../endpoint-store/endpoint-secrets';

/** Manages postback configurations, and shows them to partners and partner managers. */
@Injectable()
export class EndpointService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly endpoints: EndpointRepository,
    private readonly secrets: EndpointSecrets,
    private readonly guard: SsrfGuard,
    private readonly dispatch: DispatchService,
    private readonly config: PostbackDispatcherConfig,
  ) {}

  /** @throws PostbackNotConfiguredError */
  async getConfiguration(partnerId: string, environment: Environment): Promise<PostbackConfigurationView> {
    const endpoint = await this.endpoints.find(partnerId, environment);
    if (endpoint === null) throw new PostbackNotConfiguredError();
    return viewOf(endpoint);
  }

  /**
   * Creates or changes a configuration, and enables it. Deliveries that are held stay held until they are replayed or their sale is closed.
   * @throws ValidationFailedError
   */
  async saveConfiguration(
    partnerId: string,
    environment: Environment,
    input: SavePostbackConfiguration,
  ): Promise<{ created: boolean; view: PostbackConfigurationView }> {
    await this.checkInput(input);
    const saved = await this.dataSource.transaction(async (manager) => {
      const before = await this.endpoints.findForUpdate(manager, partnerId, environment);
      if (before !== null) return this.update(manager, before, input);
      const created = await this.create(manager, partnerId, environment, input);
      // If `create` returned null, a concurrent save was first. Its transaction has committed, because the insert waited for it.
      return created ?? this.update(manager, await this.getForUpdate(manager, partnerId, environment), input);
    });
    this.dispatch.configurationChanged(saved.id);
    const view = await this.getConfiguration(partnerId, environment);
    if (saved.signingSecret === null) return { created: false, view };
    return { created: true, view: { ...view, signingSecret: saved.signingSecret } };
  }

  /** @throws PostbackNotConfiguredError */
  async getStatus(partnerId: string, environment: Environment): Promise<PostbackEndpointStatus> {
    const endpoint = await this.endpoints.find(partnerId, environment);
    if (endpoint === null) throw new PostbackNotConfiguredError();
    return viewOf(endpoint);
  }

  /**
   * Enables a configuration, and ends its pause. Deliveries that are held stay held until they are replayed or their sale is closed.
   * Changes nothing if the endpoint is enabled and was not paused since its last success.
   * @throws PostbackNotConfiguredError
   */
  async enable(partnerId: string, environment: Environment): Promise<PostbackEndpointStatus> {
    const id = await this.dataSource.transaction(async (manager) => {
      const endpoint = await this.getForUpdate(manager, partnerId, environment);
      await this.endpoints.enable(manager, endpoint.id);
      return endpoint.id;
    });
    this.dispatch.configurationChanged(id);
    return this.getStatus(partnerId, environment);
  }

  /**
   * Replaces the signing secret. During the overlap (by default 24 h), the old secret also signs.
   * @throws PostbackNotConfiguredError
   */
  async rotateSigningSecret(partnerId: string, environment: Environment): Promise<{ signingSecret: string }> {
    const signingSecret = newWebhookSecret();
    const id = await this.dataSource.transaction(async (manager) => {
      const endpoint = await this.getForUpdate(manager, partnerId, environment);
      const now = new Date();
      const replaced = {
        secret: this.secrets.signingSecretOf(endpoint),
        until: now.getTime() + this.config.POSTBACK_SIGNING_OVERLAP_SECONDS * 1000,
      };
      const previous = previousSecretsAfterRotation(replaced, this.secrets.previousSecretsOf(endpoint), now);
      const current = this.secrets.encrypt(endpoint.id, 'signing-secret', signingSecret);
      const previousEncrypted = this.secrets.encryptPrevious(endpoint.id, previous);
      await this.endpoints.updateSigningSecret(manager, endpoint.id, current, previousEncrypted);
      return endpoint.id;
    });
    this.dispatch.configurationChanged(id);
    return { signingSecret };
  }

  /** Checks the URL and the key. Reports all problems in one error, except those that depend on the stored configuration. */
  private async checkInput({ url, authMethod, key }: SavePostbackConfiguration): Promise<void> {
    const problems = [];
    try {
      await this.guard.checkOnSave(url);
    } catch (error) {
      if (!(error instanceof PostbackUrlRefusedError)) throw error;
      problems.push({ field: 'url', message: `url ${error.message}` });
    }
    const wrongKey = key == null ? null : keyProblem(authMethod, key);
    if (wrongKey !== null) problems.push({ field: 'key', message: wrongKey });
    if (problems.length > 0) throw new ValidationFailedError(problems);
  }

  private async create(
    manager: EntityManager,
    partnerId: string,
    environment: Environment,
    { url, authMethod, key, notifyClosures }: SavePostbackConfiguration,
  ): Promise<{ id: string; signingSecret: string } | null> {
    if (key == null) throw missingKey(missingKeyProblem(authMethod, null));
    const id = randomUUID();
    const signingSecret = newWebhookSecret();
    const inserted = await this.endpoints.insert(manager, {
      id,
      partnerId,
      environment,
      url,
      authMethod,
      notifyClosures: notifyClosures ?? false,
      keyEncrypted: this.secrets.encrypt(id, 'key', key),
      signingSecretEncrypted: this.secrets.encrypt(id, 'signing-secret', signingSecret),
    });
    return inserted ? { id, signingSecret } : null;
  }

  private async update(
    manager: EntityManager,
    before: Endpoint,
    { url, authMethod, key, notifyClosures: wanted }: SavePostbackConfiguration,
  ): Promise<{ id: string; signingSecret: null }> {
    const missing = key == null ? missingKeyProblem(authMethod, before.authMethod) : null;
    if (missing !== null) throw missingKey(missing);
    const keyEncrypted = key == null ? before.keyEncrypted : this.secrets.encrypt(before.id, 'key', key);
    const notifyClosures = wanted ?? before.notifyClosures;
    await this.endpoints.update(manager, before.id, { url, authMethod, keyEncrypted, notifyClosures });
    return { id: before.id, signingSecret: null };
  }

  private async getForUpdate(manager: EntityManager, partnerId: string, environment: Environment): Promise<Endpoint> {
    const endpoint = await this.endpoints.findForUpdate(manager, partnerId, environment);
    if (endpoint === null) throw new PostbackNotConfiguredError();
    return endpoint;
  }
}

const missingKey = (message: string | null): ValidationFailedError =>
  new ValidationFailedError([{ field: 'key', message: message ?? 'key is needed' }]);

const viewOf = (endpoint: Endpoint, now = new Date()): PostbackEndpointStatus => ({
  url: endpoint.url,
  authMethod: endpoint.authMethod,
  hasKey: true,
  status: endpoint.status,
  ...(endpoint.disabledReason === null ? {} : { disabledReason: endpoint.disabledReason }),
  signingEnabled: true,
  notifyClosures: endpoint.notifyClosures,
  pausedUntil: endpoint.blockedUntil && endpoint.blockedUntil > now ? endpoint.blockedUntil.toISOString() : null,
  createdAt: endpoint.createdAt.toISOString(),
  updatedAt: endpoint.updatedAt.toISOString(),
});
