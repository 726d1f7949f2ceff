import { ApiProperty } from '@nestjs/swagger';
import type { NeighborhoodWatchStatus, Watch } from './neighborhood-watch.rules';

export class NeighborhoodWatchStatusDto implements NeighborhoodWatchStatus {
  @ApiProperty()
  hasWatches!: boolean;

  @ApiProperty({ type: 'integer' })
  watchAlertCount!: number;
}

export class WatchDto implements Watch {
  @ApiProperty()
  watchId!: string;

  @ApiProperty({ example: 'Home' })
  label!: string;

  @ApiProperty()
  address!: string;

  @ApiProperty()
  radiusMiles!: number;

  @ApiProperty()
  active!: boolean;

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ type: 'integer' })
  alertCount!: number;
}

export class WatchesDto {
  @ApiProperty({ type: [WatchDto] })
  watches!: WatchDto[];
}
