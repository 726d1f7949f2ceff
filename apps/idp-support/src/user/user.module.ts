import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module';
import { ReceiptService } from '../receipt/receipt.service';
import { SupportAuthenticationModule } from '../support-authentication/support-authentication.module';
import { IdentityClient } from './identity.client';
import { UserController } from './user.controller';
import { UserSearchController } from './user-search.controller';
import { UserSearchService } from './user-search.service';
import { UserService } from './user.service';

@Module({
  imports: [AuditModule, SupportAuthenticationModule],
  controllers: [UserSearchController, UserController],
  providers: [UserService, UserSearchService, IdentityClient, ReceiptService],
})
export class UserModule {}
