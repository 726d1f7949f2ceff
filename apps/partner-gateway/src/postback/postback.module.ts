import { Module } from '@nestjs/common';
import { PostbackDeliveryController } from './postback-delivery.controller';
import { PostbackClient } from './postback.client';
import { PostbackController } from './postback.controller';

@Module({
  controllers: [PostbackController, PostbackDeliveryController],
  providers: [PostbackClient],
  exports: [PostbackClient],
})
export class PostbackModule {}
