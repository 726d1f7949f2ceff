import { Module } from '@nestjs/common';
import { PostbackDispatcherConfig } from '../config';
import { EndpointRepository } from './endpoint.repository';
import { EndpointSecrets } from './endpoint-secrets';

/** Stores configurations, for the API and for sending. */
@Module({
  providers: [
    EndpointRepository,
    {
      provide: EndpointSecrets,
      inject: [PostbackDispatcherConfig],
      useFactory: (config: PostbackDispatcherConfig) => new EndpointSecrets(config.FIELD_ENCRYPTION_KEYS),
    },
  ],
  exports: [EndpointRepository, EndpointSecrets],
})
export class EndpointStoreModule {}
