import { ApiProperty } from '@nestjs/swagger';
import type { RemovalProgress, ScansProgress } from './scan.rules';
import type { Scan } from './scan.service';

const KNOWN_TIME = { type: String, format: 'date-time', nullable: true, description: 'Null until it is known' };

export class ScanDto implements Scan {
  @ApiProperty()
  id!: string;

  @ApiProperty()
  customerId!: string;

  @ApiProperty()
  enrollmentId!: string;

  @ApiProperty({ type: 'integer' })
  brokerCount!: number;

  @ApiProperty({ type: [String] })
  brokerIds!: string[];

  @ApiProperty()
  realtime!: boolean;

  @ApiProperty({ description: '`full`, `rescan` or `realtime`' })
  scanType!: string;

  @ApiProperty({ description: '`pending`, then `running`, then `completed`, `failed` or `stopped`' })
  status!: string;

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ format: 'date-time' })
  modifiedAt!: string;

  @ApiProperty(KNOWN_TIME)
  startedAt!: string | null;

  @ApiProperty(KNOWN_TIME)
  stoppedAt!: string | null;
}

export class RemovalProgressDto implements RemovalProgress {
  @ApiProperty({ type: 'integer', description: 'The sum of the four counts' })
  totalRecords!: number;

  @ApiProperty({ type: 'integer' })
  notInitiated!: number;

  @ApiProperty({ type: 'integer' })
  submitted!: number;

  @ApiProperty({ type: 'integer' })
  confirmed!: number;

  @ApiProperty({ type: 'integer' })
  verified!: number;

  @ApiProperty({ minimum: 0, maximum: 100, description: 'The share of the verified, with one decimal' })
  percentCompleted!: number;
}

export class ScanProgressDto extends RemovalProgressDto {
  @ApiProperty()
  scanId!: string;
}

export class ScansProgressDto implements ScansProgress {
  @ApiProperty()
  totals!: RemovalProgressDto;

  @ApiProperty({ type: [ScanProgressDto] })
  perScan!: ScanProgressDto[];
}
