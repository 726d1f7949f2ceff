import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  POSTBACK_AUTH_METHODS,
  type PostbackAuthMethod,
  type PostbackConfigurationView,
  type SavePostbackConfiguration,
} from '@tandem/internal-api';
import { Allow } from 'class-validator';

/** Passed on as it came: postback-dispatcher validates it, as the owner of the rules. */
export class SavePostbackBody {
  @ApiProperty({
    type: String,
    format: 'uri',
    maxLength: 2048,
    description: 'Where postbacks are sent: https, a public address, no credentials and no fragment',
  })
  @Allow()
  url?: SavePostbackConfiguration['url'];

  @ApiProperty({ enum: POSTBACK_AUTH_METHODS })
  @Allow()
  authMethod?: SavePostbackConfiguration['authMethod'];

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description:
      'Bearer: 1 to 512 visible ASCII characters. Basic: `user:password`, at most 512 bytes of UTF-8. Left out or null: the one before is kept, while `authMethod` stays the same',
  })
  @Allow()
  key?: SavePostbackConfiguration['key'];
}

/** What a partner sees of its configuration. */
export class PostbackConfiguration implements PostbackConfigurationView {
  @ApiProperty({ format: 'uri' })
  url!: string;

  @ApiProperty({ enum: POSTBACK_AUTH_METHODS })
  authMethod!: PostbackAuthMethod;

  @ApiProperty()
  hasKey!: boolean;

  @ApiProperty({ enum: ['active', 'disabled'] })
  status!: PostbackConfigurationView['status'];

  @ApiPropertyOptional({ description: 'Why it is disabled: sales are held until it is saved again' })
  disabledReason?: string;

  @ApiProperty()
  signingEnabled!: boolean;

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ format: 'date-time' })
  updatedAt!: string;

  @ApiPropertyOptional({ description: 'Verifies the signatures of postbacks. Only in the answer to the creation.' })
  signingSecret?: string;
}

export const POSTBACK_EXAMPLE: PostbackConfiguration = {
  url: 'https://partner.example.com/sales',
  authMethod: 'Bearer',
  hasKey: true,
  status: 'active',
  signingEnabled: true,
  createdAt: '2026-03-01T12:00:00.000Z',
  updatedAt: '2026-03-01T12:00:00.000Z',
};
