import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { type Environment, ENVIRONMENTS } from '@tandem/contracts';
import { type ManagedVoucherGroupView } from '@tandem/internal-api';
import { PageAnswer } from '../paging/page.dto';
import { VoucherGroupDto } from './voucher.dto';
import { VOUCHER_GROUP_EXAMPLE } from './voucher.examples';

@ApiSchema({ name: 'ManagedVoucherGroup' })
export class ManagedVoucherGroupDto extends VoucherGroupDto implements ManagedVoucherGroupView {
  @ApiProperty()
  partnerId!: string;

  @ApiProperty({ enum: ENVIRONMENTS })
  environment!: Environment;

  @ApiProperty({ type: 'integer', nullable: true, description: 'How many can be made in all; null: any number' })
  stock!: number | null;
}

export class ManagedVoucherGroupPage extends PageAnswer {
  @ApiProperty({ type: ManagedVoucherGroupDto, isArray: true, description: 'Newest first' })
  items!: ManagedVoucherGroupDto[];
}

export const MANAGED_GROUP_EXAMPLE: ManagedVoucherGroupDto = {
  ...VOUCHER_GROUP_EXAMPLE,
  partnerId: 'ptn_7c9e6679742540de944be07fc1f90ae7',
  environment: 'live',
  stock: 1000,
};
