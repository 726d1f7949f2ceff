import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { POSTBACK_AUTH_METHODS, type SavePostbackConfiguration } from '@tandem/contracts';
import { Allow } from 'class-validator';

/** Passed on as it came: postback-dispatcher validates it, as the owner of the rules. */
export class SavePostbackBody {
  @ApiProperty({ maxLength: 2048, description: 'Where postbacks are sent' })
  @Allow()
  url?: SavePostbackConfiguration['url'];

  @ApiProperty({ enum: POSTBACK_AUTH_METHODS })
  @Allow()
  authMethod?: SavePostbackConfiguration['authMethod'];

  @ApiPropertyOptional({ type: String, nullable: true, description: 'Left out: the one before is kept' })
  @Allow()
  key?: SavePostbackConfiguration['key'];
}
