import { type DynamicModule, Module } from '@nestjs/common';
import { DatabaseModule } from '@tandem/database';
import { InternalApiModule } from '@tandem/internal-api';
import { EventsModule } from '@tandem/messaging';
import { ServiceModule } from '@tandem/service-defaults';
import { appOf } from '../../apps';
import { ArrayWebhookModule } from './array-webhook/array-webhook.module';
import type { WebhookIngestConfig } from './config';
import { InboundWebhook } from './inbound-webhook/inbound-webhook.entity';
import { PaymentWebhookModule } from './payment-webhook/payment-webhook.module';
import { WebhookAuthenticationModule } from './webhook-authentication/webhook-authentication.module';
import { WebhookRecordModule } from './webhook-record/webhook-record.module';
import { WebhookRetentionModule } from './webhook-retention/webhook-retention.module';

@Module({})
export class AppModule {
  static register(config: WebhookIngestConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceModule.register(config),
        DatabaseModule.register(config, { applicationName: 'webhook-ingest', entities: [InboundWebhook] }),
        InternalApiModule.register(config, appOf('webhook-ingest')),
        EventsModule.register(config, {
          app: 'webhook-ingest',
          tuning: { cleanEveryMs: config.WEBHOOK_CLEANUP_INTERVAL_MS },
        }),
        WebhookAuthenticationModule,
        PaymentWebhookModule,
        ArrayWebhookModule,
        WebhookRecordModule,
        WebhookRetentionModule,
      ],
    };
  }
}
