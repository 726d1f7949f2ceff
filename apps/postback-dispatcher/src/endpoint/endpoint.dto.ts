import { ENVIRONMENTS } from '@tandem/contracts';
import { POSTBACK_AUTH_METHODS, type PostbackAuthMethod, type SavePostbackConfiguration } from '@tandem/internal-api';
import type { Environment } from '@tandem/contracts';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString } from 'class-validator';

/** What a partner sends to save its configuration. */
export class SaveEndpointDto implements SavePostbackConfiguration {
  @ApiProperty({ example: 'https://partner.example/postback' })
  @IsString()
  url!: string;

  @ApiProperty({ enum: POSTBACK_AUTH_METHODS })
  @IsIn(POSTBACK_AUTH_METHODS)
  authMethod!: PostbackAuthMethod;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'Left out: the key before is kept' })
  @IsOptional()
  @IsString()
  key?: string | null;
}

/** Whether a path's environment is one. */
export const isEnvironment = (text: string): text is Environment => (ENVIRONMENTS as readonly string[]).includes(text);
