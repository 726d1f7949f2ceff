import { Module } from '@nestjs/common';
import { PostbackClient } from './postback.client';

/** Provides the client of postback-dispatcher, for the operations of partners and of managers. */
@Module({
  providers: [PostbackClient],
  exports: [PostbackClient],
})
export class RelayModule {}
