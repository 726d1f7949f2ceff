import { Module } from '@nestjs/common';
import { AttemptModule } from '../attempt/attempt.module';
import { EndpointStoreModule } from '../endpoint-store/endpoint-store.module';
import { DispatchService } from './dispatch.service';
import { DueRepository } from './due.repository';
import { ExpiryRepository } from './expiry.repository';
import { ResultRepository } from './result.repository';
import { ResultWriter } from './result-writer';
import { SendingDatabase } from './sending-database';
import { ShardRepository } from './shard.repository';
import { Sweeper } from './sweeper';
import { Workers } from './workers';

const WRITE_WAIT_MS = 25;
const WRITE_BATCH = 1_000;

@Module({
  imports: [AttemptModule, EndpointStoreModule],
  providers: [
    DispatchService,
    DueRepository,
    ExpiryRepository,
    ResultRepository,
    SendingDatabase,
    ShardRepository,
    Sweeper,
    Workers,
    {
      provide: ResultWriter,
      inject: [ResultRepository],
      useFactory: (repository: ResultRepository) =>
        new ResultWriter(repository, { waitMs: WRITE_WAIT_MS, batchMax: WRITE_BATCH }),
    },
  ],
  exports: [DispatchService],
})
export class DispatchModule {}
