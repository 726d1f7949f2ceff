import { type DynamicModule, Module } from '@nestjs/common';
import { DatabaseModule } from '@tandem/database';
import { EventsModule } from '@tandem/messaging';
import { ServiceModule } from '@tandem/service-defaults';
import type { WebhookIngestConfig } from './config';
import { PaymentEventRetentionModule } from './payment-event-retention/payment-event-retention.module';
import { PaymentEvent } from './payment-webhook/payment-webhook.entity';
import { PaymentWebhookModule } from './payment-webhook/payment-webhook.module';
import { WebhookAuthenticationModule } from './webhook-authentication/webhook-authentication.module';

@Module({})
export class AppModule {
  static register(config: WebhookIngestConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceModule.register(config),
        DatabaseModule.register(config, { applicationName: 'webhook-ingest', entities: [PaymentEvent] }),
        EventsModule.register(config, { app: 'webhook-ingest' }),
        WebhookAuthenticationModule,
        PaymentWebhookModule,
        PaymentEventRetentionModule,
      ],
    };
  }
}
