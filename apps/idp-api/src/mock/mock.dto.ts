import { ApiProperty } from '@nestjs/swagger';

export class MockStatusDto {
  @ApiProperty()
  mockAlertsEnabled!: boolean;

  @ApiProperty()
  mockScansEnabled!: boolean;
}
