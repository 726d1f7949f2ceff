import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import {
  postbackConfigurationPath,
  type PostbackConfigurationView,
  postbackSigningSecretPath,
  type SavePostbackConfiguration,
} from '@tandem/internal-api';
import { EntityManager } from 'typeorm';
import type { Act } from '../audit/act';
import { AuditService } from '../audit/audit.service';
import type { PartnerCall } from '../relay/current-call.decorator';
import { PostbackClient } from '../relay/postback.client';
import { callOf, type RelayedJson } from '../relay/relay.client';

/**
 * Lets partners change their postback configurations, which postback-dispatcher stores. One transaction cannot span both apps' databases,
 * so an audit row is written before each change, and another one after a change that succeeded.
 */
@Injectable()
export class PostbackService {
  constructor(
    @InjectEntityManager() private readonly manager: EntityManager,
    private readonly postbacks: PostbackClient,
    private readonly audit: AuditService,
  ) {}

  /**
   * Creates or changes the configuration, and enables it. The audit rows contain neither the key nor the signing secret.
   *
   * @returns the status (201 for a new configuration) and the body of postback-dispatcher's answer
   * @throws ValidationFailedError, ServiceUnavailableError
   */
  async saveConfiguration(
    call: PartnerCall,
    { url, authMethod, key, notifyClosures }: SavePostbackConfiguration,
    act: Act,
  ): Promise<{ status: number; text: RelayedJson }> {
    const { partnerId: id, environment } = call;
    const wanted = { environment, url, authMethod, notifyClosures, isKeyGiven: key != null };
    await this.audit.record(this.manager, act, { action: 'postback.save_requested', id, after: wanted });
    const body = { url, authMethod, key, notifyClosures };
    const answer = await this.postbacks.call([200, 201], callOf('PUT', postbackConfigurationPath, call, { body }));
    const view = answer.json<PostbackConfigurationView>();
    // The fields are listed one by one: a field that a newer version of postback-dispatcher adds must not get into the audit trail.
    const after = {
      environment,
      url: view.url,
      authMethod: view.authMethod,
      hasKey: view.hasKey,
      status: view.status,
      signingEnabled: view.signingEnabled,
      notifyClosures: view.notifyClosures,
      isKeyGiven: wanted.isKeyGiven,
    };
    await this.audit.recordDone(this.manager, act, { action: 'postback.saved', id, after });
    return answer;
  }

  /** Replaces the signing secret. @throws PostbackNotConfiguredError, ServiceUnavailableError */
  async rotateSigningSecret(call: PartnerCall, act: Act): Promise<RelayedJson> {
    const noted = { id: call.partnerId, after: { environment: call.environment } };
    await this.audit.record(this.manager, act, { ...noted, action: 'postback.secret_rotation_requested' });
    const text = await this.postbacks.relay(200, 'POST', postbackSigningSecretPath, call);
    await this.audit.recordDone(this.manager, act, { ...noted, action: 'postback.secret_rotated' });
    return text;
  }
}
