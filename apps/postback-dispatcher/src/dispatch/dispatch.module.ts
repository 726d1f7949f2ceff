import { Module } from '@nestjs/common';
import { AttemptModule } from '../attempt/attempt.module';
import { EndpointStoreModule } from '../endpoint/endpoint-store.module';
import { DispatchService } from './dispatch.service';
import { DueRepository } from './due.repository';
import { ExpiryRepository } from './expiry.repository';
import { ResultRepository } from './result.repository';
import { ResultWriter } from './result.writer';
import { ShardRepository } from './shard.repository';
import { WakeNotifier } from './wake.notifier';
import { WorkerTools } from './worker.tools';

const WRITE_WAIT_MS = 25;
const WRITE_BATCH = 1_000;

@Module({
  imports: [AttemptModule, EndpointStoreModule],
  providers: [
    DispatchService,
    DueRepository,
    ExpiryRepository,
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
  ],
  exports: [DispatchService, WakeNotifier],
})
export class DispatchModule {}
