import { Module } from '@nestjs/common';
import { PostbackDispatcherConfig } from '../config';
import { EndpointStoreModule } from '../endpoint/endpoint-store.module';
import { SsrfModule } from '../ssrf/ssrf.module';
import { SsrfGuard } from '../ssrf/ssrf.guard';
import { AttemptClient } from './attempt.client';
import { DispatchService } from './dispatch.service';
import { DueRepository } from './due.repository';
import { ExpiryRepository } from './expiry.repository';
import { ExpiryService } from './expiry.service';
import { ResultRepository } from './result.repository';
import { ResultWriter } from './result.writer';
import { ShardRepository } from './shard.repository';
import { WakeNotifier } from './wake.notifier';
import { WorkerTools } from './worker.tools';

const WRITE_WAIT_MS = 25;
const WRITE_BATCH = 1_000;

@Module({
  imports: [SsrfModule, EndpointStoreModule],
  providers: [
    DispatchService,
    DueRepository,
    ExpiryRepository,
    ExpiryService,
    ResultRepository,
    ShardRepository,
    WakeNotifier,
    WorkerTools,
    {
      provide: ResultWriter,
      inject: [ResultRepository],
      useFactory: (repository: ResultRepository) =>
        new ResultWriter(repository, { waitMs: WRITE_WAIT_MS, batchMax: WRITE_BATCH }),
    },
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
