import { Module } from '@nestjs/common';
import { RelayModule } from '../relay/relay.module';
import { PostbackDeliveryController } from './postback-delivery.controller';
import { PostbackController } from './postback.controller';

@Module({
  imports: [RelayModule],
  controllers: [PostbackController, PostbackDeliveryController],
})
export class PostbackModule {}
