import { Module } from '@nestjs/common';
import { PostbackDispatcherConfig } from '../config';
import { SsrfGuard } from '../ssrf/ssrf-guard';
import { SsrfModule } from '../ssrf/ssrf.module';
import { AttemptClient } from './attempt.client';

/** Provides the client that makes single requests to endpoints, for deliveries and for test sends. */
@Module({
  imports: [SsrfModule],
  providers: [
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
  exports: [AttemptClient],
})
export class AttemptModule {}
