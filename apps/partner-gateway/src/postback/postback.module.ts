import { Module } from '@nestjs/common';
import { AdminModule } from '../admin/admin.module';
import { RelayModule } from '../relay/relay.module';
import { PostbackDeliveryController } from './postback-delivery.controller';
import { PostbackController } from './postback.controller';
import { PostbackService } from './postback.service';

@Module({
  imports: [AdminModule, RelayModule],
  controllers: [PostbackController, PostbackDeliveryController],
  providers: [PostbackService],
})
export class PostbackModule {}
