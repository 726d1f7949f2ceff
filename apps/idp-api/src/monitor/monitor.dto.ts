import { ApiProperty } from '@nestjs/swagger';
import type { MonitorOverview } from './monitor.rules';

export class MonitorOverviewDto implements MonitorOverview {
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer', minimum: 0 },
    description: 'Of every category that the user has',
    example: { emailAddress: 2, ssn: 1, passport: 0 },
  })
  countsByCategory!: Record<string, number>;

  @ApiProperty({ type: 'integer', description: 'Categories in which something is monitored' })
  monitoredCount!: number;

  @ApiProperty({ type: 'integer' })
  availableCount!: number;

  @ApiProperty({ type: 'integer' })
  availableInHigherPlans!: number;

  @ApiProperty({ type: [String] })
  availableCategoriesInHigherPlans!: string[];
}
