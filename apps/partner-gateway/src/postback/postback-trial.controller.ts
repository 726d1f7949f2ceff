import { Controller, Header, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { PartnerOperation } from '../openapi/operation.decorators';
import { CurrentPartner, PartnerAccess } from '../token/partner-token.decorators';
import type { AuthenticatedPartner } from '../token/token.repository';
import { PostbackTestDto, SigningSecretDto } from './postback-delivery.dto';
import { SIGNING_SECRET_EXAMPLE, TEST_RESULT_EXAMPLE } from './postback-delivery.examples';
import { PostbackClient, type RelayedJson } from './postback.client';
import { PostbackNotConfiguredError } from '@tandem/internal-api';

const JSON_TYPE = 'application/json; charset=utf-8';

/** What a partner does with its configuration beside saving it: trying it, and changing the secret that signs. */
@Controller('api/v2/partner/postback')
export class PostbackTrialController {
  constructor(private readonly postbacks: PostbackClient) {}

  @Post('test')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Header('Content-Type', JSON_TYPE)
  @PartnerOperation({
    id: 'testPostback',
    tag: 'Postback',
    summary: 'Send a sample now',
    description:
      'Once, and with everything that a sale has; its `oid` begins with `test_`. It is not in the list of deliveries. The answer comes after yours, after 15 seconds at most; that your endpoint failed is a 200 with `delivered` false.',
    success: {
      description: 'What came of it',
      type: PostbackTestDto,
      example: TEST_RESULT_EXAMPLE,
      headers: ['Cache-Control'],
    },
    failures: [new PostbackNotConfiguredError()],
  })
  @PartnerAccess({ kind: 'promotion', scope: 'postback:write' })
  test(
    @CurrentPartner() { partnerId, environment }: AuthenticatedPartner,
    @Req() { id: requestId }: FastifyRequest,
  ): Promise<RelayedJson> {
    return this.postbacks.sendTest({ partnerId, environment, requestId });
  }

  @Post('signing-secret')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Header('Content-Type', JSON_TYPE)
  @PartnerOperation({
    id: 'rotateSigningSecret',
    tag: 'Postback',
    summary: 'Replace the signing secret',
    description: 'For 24 hours postbacks are signed with both, so that no postback is lost while you switch.',
    success: {
      description: 'The new secret, this once',
      type: SigningSecretDto,
      example: SIGNING_SECRET_EXAMPLE,
      headers: ['Cache-Control'],
    },
    failures: [new PostbackNotConfiguredError()],
  })
  @PartnerAccess({ kind: 'promotion', scope: 'postback:write' })
  rotate(
    @CurrentPartner() { partnerId, environment }: AuthenticatedPartner,
    @Req() { id: requestId }: FastifyRequest,
  ): Promise<RelayedJson> {
    return this.postbacks.rotateSigningSecret({ partnerId, environment, requestId });
  }
}
