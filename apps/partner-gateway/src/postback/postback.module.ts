import { Module } from '@nestjs/common';
import { PostbackDeliveryController } from './postback-delivery.controller';
import { PostbackTrialController } from './postback-trial.controller';
import { PostbackClient } from './postback.client';
import { PostbackController } from './postback.controller';

@Module({
  controllers: [PostbackController, PostbackTrialController, PostbackDeliveryController],
  providers: [PostbackClient],
  exports: [PostbackClient],
})
export class PostbackModule {}
