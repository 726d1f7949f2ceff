import { Module } from '@nestjs/common';
import { DispatchModule } from '../dispatch/dispatch.module';
import { SsrfModule } from '../ssrf/ssrf.module';
import { EndpointStoreModule } from '../endpoint-store/endpoint-store.module';
import { EndpointLimitController } from './endpoint-limit.controller';
import { EndpointLimitService } from './endpoint-limit.service';
import { EndpointController } from './endpoint.controller';
import { EndpointService } from './endpoint.service';

@Module({
  imports: [EndpointStoreModule, DispatchModule, SsrfModule],
  controllers: [EndpointController, EndpointLimitController],
  providers: [EndpointService, EndpointLimitService],
})
export class EndpointModule {}
