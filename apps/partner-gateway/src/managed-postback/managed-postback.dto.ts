import { ApiProperty, ApiPropertyOptional, ApiSchema, OmitType } from '@nestjs/swagger';
import { type Environment, ENVIRONMENTS } from '@tandem/contracts';
import { type PostbackEndpointStatus } from '@tandem/internal-api';
import { KnownParametersOnly } from '@tandem/service-defaults';
import { IsIn } from 'class-validator';
import { PostbackConfiguration, POSTBACK_EXAMPLE } from '../postback/postback.dto';
import { ListDeliveriesQuery } from '../postback/postback-delivery.dto';

const InEnvironment = (): PropertyDecorator => ApiPropertyOptional({ enum: ENVIRONMENTS, default: 'live' });

/** Test and live have a configuration and deliveries each. */
@KnownParametersOnly()
export class EnvironmentQuery {
  @InEnvironment()
  @IsIn(ENVIRONMENTS)
  environment: Environment = 'live';
}

export class ListManagedDeliveriesQuery extends ListDeliveriesQuery {
  @InEnvironment()
  @IsIn(ENVIRONMENTS)
  environment: Environment = 'live';
}

/** What a manager sees of a partner's configuration: never the key. */
@ApiSchema({ name: 'PostbackStatus' })
export class PostbackStatusDto
  extends OmitType(PostbackConfiguration, ['signingSecret'])
  implements PostbackEndpointStatus
{
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Nothing is sent before, because attempts failed one after the other. Null: it is not paused',
  })
  pausedUntil!: string | null;
}

export const STATUS_EXAMPLE: PostbackStatusDto = { ...POSTBACK_EXAMPLE, pausedUntil: null };
