import { Module } from '@nestjs/common';
import { PostbackClient } from './postback.client';

/** Provides the client of postback-dispatcher to the features of partners and of managers. */
@Module({
  providers: [PostbackClient],
  exports: [PostbackClient],
})
export class RelayModule {}
