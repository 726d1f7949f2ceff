import { JsonServer, eventually, spansOf } from '@tandem/testing';
import { VendorClient } from '../src/array/vendor.client';
import { Idp } from './idp';

const SSN = '123456789';

describe('the spans of calls to the vendor', () => {
  let idp: Idp;
  let collector: JsonServer;

  beforeAll(async () => {
    collector = await JsonServer.start();
    collector.answer(200, {});
    idp = await Idp.start({
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
      vendorRoutes: [{ route: 'alerts', method: 'GET', pattern: /^\/test/, answer: () => [500, { ssn: SSN }] }],
    });
  });
  afterAll(async () => {
    await idp?.stop();
    await collector?.stop();
  });

  it('contain the route, the peer and the status, but not the path, the query or the app key', async () => {
    const failed = idp.running.nest.get(VendorClient).get('alerts', `/test/${SSN}`, { ssn: SSN });
    await expect(failed).rejects.toThrow();
    const [span] = await eventually(() => {
      const found = spansOf(collector).filter(({ name }) => name === 'GET vendor/alerts');
      expect(found).toHaveLength(1);
      return found;
    });
    expect(span).toMatchObject({ app: 'idp-api', kind: 'client', isError: true });
    expect(span?.attributes).toMatchObject({ 'peer.service': 'identity-vendor', 'http.response.status_code': 500 });
    expect(JSON.stringify(collector.requests)).not.toMatch(new RegExp(`${SSN}|vendor-app-key`));
  });
});
