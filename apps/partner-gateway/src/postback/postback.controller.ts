import { Body, Controller, Get, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import {
  ListenToPostbacks,
  postbackConfigurationPath,
  PostbackConfigurationView,
  PostbackNotConfiguredError,
  PostbackRequestPage,
  postbackRequestsPath,
  PostbackTestResult,
  RotatedSigningSecret,
  SavePostbackConfiguration,
} from '@tandem/internal-api';
import type { FastifyReply } from 'fastify';
import type { Act } from '../audit/act';
import { CurrentCall, type PartnerCall } from '../relay/current-call.decorator';
import type { RelayedJson } from '../relay/relay.client';
import { CurrentPartnerAct, partners } from '../token/partner.access';
import { PostbackClient } from '../relay/postback.client';
import { PostbackService } from './postback.service';

const URL = 'https://partner.example.com/sales';

/** A partner's operations on its postback configurations. They are relayed to postback-dispatcher, which checks the URL and the key. */
@ApiTags('Postback')
@Controller('api/v2/partner/postback')
export class PostbackController {
  constructor(
    private readonly postbacks: PostbackClient,
    private readonly service: PostbackService,
  ) {}

  @Get()
  @Endpoint({
    access: partners({ kind: 'promotion', scope: 'postback:read' }),
    summary: 'Read the postback configuration',
    description: 'Test and live each have their own configuration. The key is never returned.',
    answer: { description: 'The configuration', type: PostbackConfigurationView },
    errors: [PostbackNotConfiguredError],
    noStore: true,
    relayed: true,
  })
  getPostback(@CurrentCall() call: PartnerCall): Promise<RelayedJson> {
    return this.postbacks.relay(200, 'GET', postbackConfigurationPath, call);
  }

  @Post()
  @Endpoint({
    access: partners({ kind: 'promotion', scope: 'postback:write' }),
    summary: 'Create or change the postback configuration',
    description:
      'Each qualifying sale is sent to `url` by POST, with the key in `Authorization` and a Standard Webhooks signature. `signingSecret` is returned only when the configuration is created. Saving a disabled configuration enables it again.',
    body: {
      examples: {
        bearer: { url: URL, authMethod: 'Bearer', key: 'a-key-of-your-own' },
        basic: { url: URL, authMethod: 'Basic', key: 'user:password' },
        notices: { url: URL, authMethod: 'Bearer', key: 'a-key-of-your-own', notifyClosures: true },
        keepTheKey: { url: 'https://partner.example.com/new-path', authMethod: 'Bearer' },
      },
    },
    answer: [
      { description: 'The configuration was changed', type: PostbackConfigurationView },
      {
        status: 201,
        description: 'The configuration was created. Store the `signingSecret`',
        type: PostbackConfigurationView,
        example: { signingSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
      },
    ],
    noStore: true,
    relayed: true,
  })
  async savePostback(
    @CurrentCall() call: PartnerCall,
    @CurrentPartnerAct() act: Act,
    @Body() body: SavePostbackConfiguration,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RelayedJson> {
    const { status, text } = await this.service.saveConfiguration(call, body, act);
    reply.status(status);
    return text;
  }

  @Post('test')
  @Endpoint({
    access: partners({ kind: 'promotion', scope: 'postback:write' }),
    summary: 'Send a sample now',
    description:
      'Sends one sample with all fields of a sale, without retries. Its `oid` begins with `test_`, and the list of deliveries does not contain it. This operation waits up to 15 seconds for your endpoint. If your endpoint fails, the operation returns 200 with `delivered` false.',
    answer: { status: 200, description: 'The result', type: PostbackTestResult },
    errors: [PostbackNotConfiguredError],
    noStore: true,
    relayed: true,
  })
  testPostback(@CurrentCall() call: PartnerCall): Promise<RelayedJson> {
    return this.postbacks.sendTest(call);
  }

  @Get('listen')
  @Endpoint({
    access: partners({ kind: 'promotion', scope: 'postback:listen', testOnly: true }),
    summary: 'Listen to the postbacks of test sales',
    description:
      'For development without a public address, in the test environment only. Returns, oldest first, the requests that your endpoint gets, or would get if you had one. Poll it with the `nextCursor` of the previous answer, for example every 2 seconds: each request is returned exactly once. Reading changes nothing: a configured endpoint gets its postbacks as usual. `npx @tandem/partner listen` calls this operation, signs each request, and sends it to a port of your machine.',
    answer: { description: 'The requests that were created after the cursor, often none', type: PostbackRequestPage },
    noStore: true,
    relayed: true,
  })
  listenToPostbacks(@CurrentCall() call: PartnerCall, @Query() query: ListenToPostbacks): Promise<RelayedJson> {
    return this.postbacks.relay(200, 'GET', postbackRequestsPath, call, { query: { ...query } });
  }

  @Post('signing-secret')
  @Endpoint({
    access: partners({ kind: 'promotion', scope: 'postback:write' }),
    summary: 'Replace the signing secret',
    description:
      'For 24 hours, postbacks are signed with both the old and the new secret, so that you can verify every postback while you switch.',
    answer: { status: 200, description: 'The new secret, shown only this once', type: RotatedSigningSecret },
    errors: [PostbackNotConfiguredError],
    noStore: true,
    relayed: true,
  })
  rotateSigningSecret(@CurrentCall() call: PartnerCall, @CurrentPartnerAct() act: Act): Promise<RelayedJson> {
    return this.service.rotateSigningSecret(call, act);
  }
}
