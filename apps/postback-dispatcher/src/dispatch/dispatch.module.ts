import { Module } from '@nestjs/common';
import { PostbackDispatcherConfig } from '../config';
import { EndpointStoreModule } from '../endpoint/endpoint-store.module';
import { SsrfModule } from '../ssrf/ssrf.module';
import { SsrfGuard } from '../ssrf/ssrf.guard';
import { AttemptClient } from './attempt.client';
import { DispatchService } from './dispatch.service';
import { DispatchTools } from './dispatch.tools';
import { DueRepository } from './due.repository';
import { LeaseRepository } from './lease.repository';
import { ResultRepository } from './result.repository';
import { WakeNotifier } from './wake.notifier';

@Module({
  imports: [SsrfModule, EndpointStoreModule],
  providers: [
    DispatchService,
    DispatchTools,
    DueRepository,
    LeaseRepository,
    ResultRepository,
    WakeNotifier,
    {
      provide: AttemptClient,
      inject: [SsrfGuard, PostbackDispatcherConfig],
      useFactory: (guard: SsrfGuard, config: PostbackDispatcherConfig) =>
        new AttemptClient(guard, {
          connectMs: config.POSTBACK_CONNECT_TIMEOUT_MS,
          totalMs: config.POSTBACK_TIMEOUT_MS,
        }),
    },
  ],
  exports: [AttemptClient, DispatchService, WakeNotifier],
})
export class DispatchModule {}
