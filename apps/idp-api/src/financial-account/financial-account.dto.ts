import { ApiProperty } from '@nestjs/swagger';
import type { FinancialAccountsStatus } from './financial-account.rules';

export class FinancialAccountsStatusDto implements FinancialAccountsStatus {
  @ApiProperty()
  hasAccounts!: boolean;

  @ApiProperty({ type: 'integer' })
  institutionCount!: number;

  @ApiProperty({ type: 'integer' })
  accountCount!: number;

  @ApiProperty()
  anyNeedsRenewal!: boolean;

  @ApiProperty({ type: 'integer', description: 'Accounts at whose institution the user has to sign in again' })
  needsRenewalCount!: number;
}
