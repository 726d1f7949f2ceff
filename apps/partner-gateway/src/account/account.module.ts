import { Module } from '@nestjs/common';
import { TokenModule } from '../token/token.module';
import { AccountController } from './account.controller';

@Module({
  imports: [TokenModule],
  controllers: [AccountController],
})
export class AccountModule {}
