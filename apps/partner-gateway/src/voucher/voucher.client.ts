import { Injectable } from '@nestjs/common';
import { VOUCHER_ERRORS } from '@tandem/internal-api';
import { PartnerGatewayConfig } from '../config';
import { RelayClient } from '../relay/relay.client';

/** Calls voucher-service, which stores voucher groups and coupons. */
@Injectable()
export class VoucherClient extends RelayClient {
  constructor(config: PartnerGatewayConfig) {
    super({
      from: 'partner-gateway',
      to: 'voucher-service',
      url: config.VOUCHER_SERVICE_URL,
      credentials: config,
      timeoutMs: config.VOUCHER_SERVICE_TIMEOUT_MS,
      connections: 64,
      errors: VOUCHER_ERRORS,
      unavailable: 'Vouchers cannot be reached now; try again.',
    });
  }
}
