import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, ValidateBy } from 'class-validator';
import type { Page } from '../array/alerts';
import { BUREAUS, type Bureau } from '../array/alerts';
import type { AlertItem } from './alert.service';

const DIGITS = /^\d+$/;

/** Requires a query parameter to be a whole number within bounds. */
const IsWholeNumber = (min: number, max = Infinity): PropertyDecorator =>
  ValidateBy({
    name: 'isWholeNumber',
    validator: {
      validate: (value) =>
        typeof value === 'string' && DIGITS.test(value) && Number(value) >= min && Number(value) <= max,
    },
  });

/** The query parameters that select a page of a list. */
export class PageQuery {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 100, default: 50 })
  @IsWholeNumber(1, 100)
  count = '50';

  @ApiPropertyOptional({ type: 'integer', minimum: 0, default: 0 })
  @IsWholeNumber(0)
  offset = '0';
}

export class AlertListQuery extends PageQuery {
  @IsOptional()
  @IsIn(BUREAUS)
  bureau?: Bureau;
}

/** Returns the page that the query requests. */
export const pageOf = ({ count, offset }: PageQuery): Page => ({ count: Number(count), offset: Number(offset) });

/** The id of an alert in a request body: an integer, as in answers, or the same integer as a string. */
export const ALERT_ID_SCHEMA = {
  oneOf: [
    { type: 'string', pattern: '^[1-9]\\d*$' },
    { type: 'integer', minimum: 1 },
  ],
};

/** Body of the requests that mark several alerts as read or unread. */
export class AlertIdsBody {
  @ApiPropertyOptional({
    type: 'array',
    items: { $ref: '#/components/schemas/AlertId' },
    nullable: true,
    description:
      'Null, or a body of `{}`: all alerts. An empty list: no alerts. Ids that match no alert of the user cause no error',
    example: ['1000001', '1000002'],
  })
  alertIds?: (string | number)[] | null;
}

export class AlertItemDto implements AlertItem {
  @ApiProperty({ type: 'integer', example: 1000001 })
  alertId!: number;

  @ApiProperty({
    example: 'exp',
    description: `${BUREAUS.join(', ')}: the source in the path of the alert’s details. Values may be added`,
  })
  bureau!: string;

  @ApiProperty({ example: 'CREDIT_MONITORING', description: 'An open set: more values may be added' })
  class!: string;

  @ApiProperty({ format: 'date-time' })
  createDate!: string;

  @ApiProperty({ format: 'date-time' })
  updatedDate!: string;

  @ApiProperty({
    description:
      'Whether the alert is read. The mark of the alert itself decides. Without one, the alert is read if it existed when the user last marked all alerts as read',
  })
  read!: boolean;
}

export class UserAlertsDto {
  @ApiProperty({ type: [AlertItemDto], description: 'Newest first' })
  userAlerts!: AlertItemDto[];
}
