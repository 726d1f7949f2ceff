import { Module } from '@nestjs/common';
import { WebhookAuthenticationHooks } from './webhook-authentication.hooks';
import { WebhookAuthenticationService } from './webhook-authentication.service';

@Module({ providers: [WebhookAuthenticationService, WebhookAuthenticationHooks] })
export class WebhookAuthenticationModule {}
