import { Module } from '@nestjs/common';
import { WebhookAuthenticator } from './webhook.authenticator';
import { WebhookAuthenticationService } from './webhook-authentication.service';

@Module({ providers: [WebhookAuthenticationService, WebhookAuthenticator] })
export class WebhookAuthenticationModule {}
