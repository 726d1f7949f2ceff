import { Module } from '@nestjs/common';
import { PostbackClient } from './postback.client';

/** The client of postback-dispatcher, for partners' endpoints and for what managers do about them. */
@Module({
  providers: [PostbackClient],
  exports: [PostbackClient],
})
export class RelayModule {}
