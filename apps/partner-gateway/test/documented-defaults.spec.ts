import { PartnerGatewayConfig } from '../src/config';

const HOUR = 3600;

describe('the defaults of the configuration', () => {
  const config = new PartnerGatewayConfig();

  it.each<[keyof PartnerGatewayConfig, number]>([
    ['CHECKOUT_TTL_SECONDS', 24 * HOUR],
    ['REVOKE_WINDOW_DAYS', 30],
    ['TOKEN_ROTATION_OVERLAP_SECONDS', 24 * HOUR],
    ['FRAUD_MAX_SALES_PER_HOUR', 5],
    ['UNATTRIBUTED_SALE_RETENTION_DAYS', 180],
    ['RATE_LIMIT_CHECKOUT_PER_MINUTE', 600],
    ['RATE_LIMIT_READ_PER_MINUTE', 120],
    ['RATE_LIMIT_WRITE_PER_MINUTE', 30],
    ['RATE_LIMIT_VOUCHER_CREATE_PER_MINUTE', 10],
    ['RATE_LIMIT_WINDOW_SECONDS', 60],
  ])(
    'include %s=%s [interface.numbers-are-configuration, limits.checkout, limits.read, limits.write, limits.voucher-create]',
    (name, value) => {
      expect(config[name]).toBe(value);
    },
  );
});
