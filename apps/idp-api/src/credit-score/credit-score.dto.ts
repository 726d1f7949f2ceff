import { ApiProperty } from '@nestjs/swagger';
import type { CreditScore } from './credit-score.service';

export class CreditScoreDto implements CreditScore {
  @ApiProperty({ example: '712' })
  score!: string;

  @ApiProperty({ example: 'exp1bScore' })
  productCode!: string;

  @ApiProperty({ format: 'date' })
  scoreDate!: string;
}

export class CreditScoresDto {
  @ApiProperty({ type: [CreditScoreDto] })
  creditScoreHistory!: CreditScoreDto[];
}
