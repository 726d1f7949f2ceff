import { Module } from '@nestjs/common';
import { TokenModule } from '../token/token.module';
import { PostbackClient } from './postback.client';
import { PostbackController } from './postback.controller';

@Module({
  imports: [TokenModule],
  controllers: [PostbackController],
  providers: [PostbackClient],
})
export class PostbackModule {}
