import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import {
  COUPON_STATUSES,
  type CouponPage,
  type CouponStatus,
  type CouponView,
  type CreatedCoupons,
  VOUCHER_GROUP_STATUSES,
  type VoucherGroupList,
  type VoucherGroupStatus,
  type VoucherGroupView,
  type VoucherProduct,
} from '@tandem/internal-api';
import { Type } from 'class-transformer';
import { Allow, IsIn, IsInt, IsOptional, IsString, Min, MinLength, ValidateIf } from 'class-validator';

/** Left out is fine; an empty value is a value. */
const Omittable = (): PropertyDecorator => ValidateIf((_query: object, value: unknown) => value !== undefined);

export class ListCouponsQuery {
  @ApiProperty({ minLength: 1, description: '`id` of a voucher group' })
  @IsString()
  @MinLength(1)
  voucherGroupId!: string;

  @ApiPropertyOptional({ description: '`nextCursor` of the page before; good for the same group and status only' })
  @Omittable()
  @IsString()
  cursor?: string;

  @ApiPropertyOptional({ enum: COUPON_STATUSES })
  @Omittable()
  @IsIn(COUPON_STATUSES)
  status?: CouponStatus;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 500, default: 100 })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  limit?: number;
}

/** No `default` in bodies: generators of clients take it for a field that must be there. */
const COUNT = {
  type: 'integer',
  minimum: 1,
  description: 'How many. Left out: 10. More than 500 is not refused: 10 are made',
} as const;

/** Both are also taken in the query: see voucher.rules.ts for what is right. */
export class CreateCouponsBody {
  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: '`id` of a voucher group; needed here or in the query',
  })
  @Allow()
  voucherGroupId?: unknown;

  @ApiPropertyOptional({ ...COUNT, nullable: true })
  @Allow()
  count?: unknown;
}

export class CreateCouponsQuery {
  @ApiPropertyOptional({ type: String, description: 'In place of the one in the body' })
  @Allow()
  voucherGroupId?: unknown;

  @ApiPropertyOptional({ ...COUNT, default: 10 })
  @Allow()
  count?: unknown;
}

@ApiSchema({ name: 'VoucherProduct' })
export class VoucherProductDto implements VoucherProduct {
  @ApiProperty({ example: 'Advanced, 1 year' })
  name!: string;

  @ApiProperty({ example: 'advanced', description: 'Empty when there is none' })
  tier!: string;

  @ApiProperty({ type: 'integer', example: 12 })
  periodMonths!: number;
}

@ApiSchema({ name: 'VoucherGroup' })
export class VoucherGroupDto implements VoucherGroupView {
  @ApiProperty({ format: 'uuid', description: 'The `voucherGroupId` of the other requests' })
  id!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ enum: VOUCHER_GROUP_STATUSES })
  status!: VoucherGroupStatus;

  @ApiProperty({ type: VoucherProductDto })
  product!: VoucherProductDto;

  @ApiProperty({ example: 'USD', description: 'ISO 4217' })
  currency!: string;

  @ApiProperty({ type: 'integer', description: 'How many coupons were made' })
  issued!: number;

  @ApiProperty({ type: 'integer' })
  redeemed!: number;

  @ApiProperty({ type: 'integer', nullable: true, description: 'How many more can be made; null: any number' })
  remaining!: number | null;

  @ApiProperty({ format: 'date-time' })
  validFrom!: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Then its active coupons expire' })
  validUntil!: string | null;

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;
}

@ApiSchema({ name: 'VoucherGroupList' })
export class VoucherGroupListDto implements VoucherGroupList {
  @ApiProperty({ type: VoucherGroupDto, isArray: true })
  items!: VoucherGroupDto[];
}

@ApiSchema({ name: 'Coupon' })
export class CouponDto implements CouponView {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ example: 'ABCD-EFGH-JKLM-NPQR', description: 'Hyphens and case do not matter to redeem it' })
  code!: string;

  @ApiProperty({ format: 'uuid' })
  voucherGroupId!: string;

  @ApiProperty({ enum: COUPON_STATUSES })
  status!: CouponStatus;

  @ApiProperty({ format: 'uuid', description: 'The creation that it comes from' })
  batchId!: string;

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  expiresAt!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  redeemedAt!: string | null;
}

@ApiSchema({ name: 'CouponPage' })
export class CouponPageDto implements CouponPage {
  @ApiProperty({ type: CouponDto, isArray: true, description: 'Newest first' })
  items!: CouponDto[];

  @ApiProperty({ type: String, nullable: true, description: 'Null on the last page' })
  nextCursor!: string | null;

  @ApiProperty()
  hasMore!: boolean;
}

@ApiSchema({ name: 'CreatedCoupons' })
export class CreatedCouponsDto implements CreatedCoupons {
  @ApiProperty({ format: 'uuid' })
  batchId!: string;

  @ApiProperty({ type: 'integer', nullable: true, description: 'What was asked for; null when nothing was said' })
  requestedCount!: number | null;

  @ApiProperty({ type: 'integer', description: 'How many were made' })
  count!: number;

  @ApiProperty({ type: CouponDto, isArray: true })
  items!: CouponDto[];
}
