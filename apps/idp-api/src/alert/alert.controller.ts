import { Body, Controller, Delete, Get, Param, Put } from '@nestjs/common';
import { ApiParam, ApiQuery } from '@nestjs/swagger';
import { ClientQuery } from '../bad-request/client-input.decorator';
import { VENDOR_FAILURES } from '../array/vendor.errors';
import { InputValidationError } from '../bad-request/input-validation.errors';
import { users } from '../client-authentication/client.access';
import { type ClientUser, CurrentUser, Endpoint } from '@tandem/http-api';
import { DETAILS_EXAMPLES } from '../mock/mock-samples';
import { UserNotFoundError } from '../profile/profile.errors';
import { AlertDetails } from './alert-details.dto';
import { AlertIdsBody, AlertListQuery, pageOf, UserAlertsDto } from './alert.dto';
import { AlertNotFoundError } from './alert.errors';
import { readAlertId, readAlertPath, readSelection } from './alert-input.rules';
import { BUREAUS } from '../array/alerts';
import { AlertService } from './alert.service';

const ALERT_ID = { name: 'alertId', schema: { type: 'integer', minimum: 1 } };
const BULK_BODY = {
  type: AlertIdsBody,
  optional: true,
  nullable: true,
  examples: { example: { alertIds: ['1000001', '1000002'] } },
};
const ONE = {
  tag: 'Alerts',
  access: users(),
  errors: [...VENDOR_FAILURES, UserNotFoundError, AlertNotFoundError, new InputValidationError(['alertId'])],
};

@Controller('idp/array/users/me/alerts')
export class AlertController {
  constructor(private readonly alerts: AlertService) {}

  @Get()
  @ApiQuery({ type: AlertListQuery })
  @ApiQuery({ name: 'bureau', required: false, enum: [...BUREAUS], description: 'Only the alerts of this source' })
  @Endpoint({
    access: users(),
    tag: 'Alerts',
    summary: 'List alerts, newest first',
    answer: { type: UserAlertsDto },
    errors: [...VENDOR_FAILURES, UserNotFoundError, new InputValidationError(['count'])],
  })
  async listAlerts(
    @CurrentUser() { krn }: ClientUser,
    @ClientQuery(AlertListQuery) query: AlertListQuery,
  ): Promise<UserAlertsDto> {
    return { userAlerts: await this.alerts.list(krn, pageOf(query), { bureau: query.bureau }) };
  }

  @Get(':bureau/:alertId/details')
  @ApiParam({ name: 'bureau', schema: { type: 'string', enum: [...BUREAUS] } })
  @ApiParam(ALERT_ID)
  @Endpoint({
    ...ONE,
    summary: 'Read the details of an alert',
    description: 'The fields depend on the source, `bureau` in the path.',
    answer: { type: AlertDetails, examples: DETAILS_EXAMPLES },
  })
  getAlertDetails(
    @CurrentUser() { krn }: ClientUser,
    @Param('bureau') bureau: string,
    @Param('alertId') alertId: string,
  ): Promise<AlertDetails> {
    const alert = readAlertPath({ bureau, alertId });
    return this.alerts.getDetails(krn, alert.bureau, alert.alertId);
  }

  @Put('read')
  @Endpoint({
    access: users(),
    tag: 'Alerts',
    summary: 'Mark some or all alerts as read',
    body: BULK_BODY,
    errors: [new InputValidationError(['alertIds[1]']), UserNotFoundError],
  })
  markAlertsRead(@CurrentUser() { krn }: ClientUser, @Body() body: unknown): Promise<void> {
    return this.alerts.mark(krn, readSelection(body), true);
  }

  @Delete('read')
  @Endpoint({
    access: users(),
    tag: 'Alerts',
    summary: 'Mark some or all alerts as unread',
    body: BULK_BODY,
    errors: [new InputValidationError(['alertIds[1]']), UserNotFoundError],
  })
  markAlertsUnread(@CurrentUser() { krn }: ClientUser, @Body() body: unknown): Promise<void> {
    return this.alerts.mark(krn, readSelection(body), false);
  }

  @Put(':alertId/read')
  @ApiParam(ALERT_ID)
  @Endpoint({ ...ONE, summary: 'Mark an alert as read' })
  markAlertRead(@CurrentUser() { krn }: ClientUser, @Param('alertId') alertId: string): Promise<void> {
    return this.alerts.markOne(krn, readAlertId(alertId), true);
  }

  @Delete(':alertId/read')
  @ApiParam(ALERT_ID)
  @Endpoint({ ...ONE, summary: 'Mark an alert as unread' })
  markAlertUnread(@CurrentUser() { krn }: ClientUser, @Param('alertId') alertId: string): Promise<void> {
    return this.alerts.markOne(krn, readAlertId(alertId), false);
  }
}
