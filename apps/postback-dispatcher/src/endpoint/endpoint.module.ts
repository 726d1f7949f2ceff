import { Module } from '@nestjs/common';
import { DispatchModule } from '../dispatch/dispatch.module';
import { SsrfModule } from '../ssrf/ssrf.module';
import { EndpointStoreModule } from './endpoint-store.module';
import { EndpointController } from './endpoint.controller';
import { EndpointService } from './endpoint.service';

@Module({
  imports: [EndpointStoreModule, DispatchModule, SsrfModule],
  controllers: [EndpointController],
  providers: [EndpointService],
})
export class EndpointModule {}
