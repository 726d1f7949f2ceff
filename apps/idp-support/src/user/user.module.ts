import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module';
import { ReceiptService } from '../receipt/receipt.service';
import { SupportAuthenticationModule } from '../support-authentication/support-authentication.module';
import { IdentityClient } from './identity.client';
import { UserController } from './user.controller';
import { UserService } from './user.service';

@Module({
  imports: [AuditModule, SupportAuthenticationModule],
  controllers: [UserController],
  providers: [UserService, IdentityClient, ReceiptService],
})
export class UserModule {}
