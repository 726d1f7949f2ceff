import { Module } from '@nestjs/common';
import { PostbackDispatcherConfig } from '../config';
import { EndpointRepository } from './endpoint.repository';
import { EndpointSecrets } from './endpoint-secrets';

/** Provides the stored configurations to the API, which shows and changes them, and to the workers, which send with them. */
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
