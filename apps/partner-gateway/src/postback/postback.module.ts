import { Module } from '@nestjs/common';
import { PostbackClient } from './postback.client';
import { PostbackController } from './postback.controller';

@Module({
  controllers: [PostbackController],
  providers: [PostbackClient],
})
export class PostbackModule {}
