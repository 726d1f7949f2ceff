import { Module } from '@nestjs/common';
import { PostbackDispatcherConfig } from '../config';
import { EndpointRepository } from './endpoint.repository';
import { EndpointSecrets } from './endpoint-secrets';

/** Stores the configurations that the API shows and changes, and that sending reads. */
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
