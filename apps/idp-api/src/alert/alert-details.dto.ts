import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { OneOf } from '@tandem/http-api';

/*
 * The details of an alert. Each bureau has its own format, and clients get the bureau's details unchanged. In the class of a format, only the
 * field by which the format is recognized is required, because bureaus omit values that they do not know. Bureaus may also add fields.
 */

class IdpAlertSource {
  @ApiPropertyOptional() name?: string;
  @ApiPropertyOptional({ description: 'A date' }) foundDate?: string;
}

class IdpExposedValue {
  @ApiPropertyOptional() type?: string;
  @ApiPropertyOptional({ description: 'Masked' }) value?: string;
}

/** Details of an alert that comes from the vendor itself, which is the bureau `idp`. */
class IdpAlertDetails {
  @ApiProperty({ type: 'integer' }) alertId!: number;
  @ApiPropertyOptional({ description: 'The class of the alert' }) alertType?: string;
  @ApiPropertyOptional() title?: string;
  @ApiPropertyOptional() description?: string;
  @ApiPropertyOptional() severity?: string;
  @ApiPropertyOptional() source?: IdpAlertSource;
  @ApiPropertyOptional({ type: [IdpExposedValue] }) exposed?: IdpExposedValue[];
}

class ExpSubscriber {
  @ApiPropertyOptional() name?: string;
  @ApiPropertyOptional() phone?: string;
}

class ExpAccount {
  @ApiPropertyOptional() numberMasked?: string;
  @ApiPropertyOptional() responsibility?: string;
}

/** Details from Experian. */
class ExpAlertDetails {
  @ApiProperty({ description: 'The alert’s id, as text' }) id!: string;
  @ApiPropertyOptional({ description: 'The class of the alert' }) alertCode?: string;
  @ApiPropertyOptional() alertCategory?: string;
  @ApiPropertyOptional() message?: string;
  @ApiPropertyOptional({ description: 'A date' }) reportedDate?: string;
  @ApiPropertyOptional() subscriber?: ExpSubscriber;
  @ApiPropertyOptional() account?: ExpAccount;
}

class TuiAddress {
  @ApiPropertyOptional() line1?: string;
  @ApiPropertyOptional() city?: string;
  @ApiPropertyOptional() state?: string;
  @ApiPropertyOptional() zip?: string;
}

class TuiCreditor {
  @ApiPropertyOptional() name?: string;
  @ApiPropertyOptional() address?: TuiAddress;
}

class TuiAttribute {
  @ApiPropertyOptional() name?: string;
  @ApiPropertyOptional() value?: string;
}

class TuiCreditAlert {
  @ApiPropertyOptional({ type: 'integer', description: 'The alert’s id' }) key?: number;
  @ApiPropertyOptional({ description: 'The class of the alert' }) type?: string;
  @ApiPropertyOptional() heading?: string;
  @ApiPropertyOptional({ description: 'A time' }) effective?: string;
  @ApiPropertyOptional() creditor?: TuiCreditor;
  @ApiPropertyOptional({ type: [TuiAttribute] }) attributes?: TuiAttribute[];
}

/** Details from TransUnion. */
class TuiAlertDetails {
  @ApiProperty() creditAlert!: TuiCreditAlert;
}

class EfxAlertInfo {
  @ApiPropertyOptional({ type: 'integer', description: 'The alert’s id' }) alertNumber?: number;
  @ApiPropertyOptional({ description: 'The class of the alert' }) alertType?: string;
  @ApiPropertyOptional({ description: 'A date' }) alertDate?: string;
  @ApiPropertyOptional() summary?: string;
}

class EfxAlertData {
  @ApiPropertyOptional() memberName?: string;
  @ApiPropertyOptional() narrative?: string;
  @ApiPropertyOptional({ description: 'Masked' }) accountNumber?: string;
}

/** Details from Equifax. */
class EfxAlertDetails {
  @ApiProperty() alertInfo!: EfxAlertInfo;
  @ApiPropertyOptional() data?: EfxAlertData;
}

/** The details in the format of the alert's bureau. */
@OneOf(IdpAlertDetails, ExpAlertDetails, TuiAlertDetails, EfxAlertDetails)
export class AlertDetails {}
