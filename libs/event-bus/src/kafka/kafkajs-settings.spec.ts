import { consumerClient, producerClient } from './kafkajs-settings';

const options = { clientId: 'parcel', brokers: ['a:9093'], gate: { closed: false } };
const login = { username: 'parcel', password: 'secret' };

describe.each([
  ['producer', producerClient],
  ['consumer', consumerClient],
])('the client of a %s', (_, client) => {
  it('authenticates by SCRAM, and only over TLS', () => {
    expect(client({ ...options, login })).toMatchObject({
      ssl: true,
      sasl: { mechanism: 'scram-sha-512', username: 'parcel', password: 'secret' },
    });
  });

  it('trusts only the given CA', () => {
    expect(client({ ...options, login: { ...login, ca: 'a certificate' } })).toMatchObject({
      ssl: { ca: ['a certificate'] },
    });
  });

  it('uses neither authentication nor TLS without a login', () => {
    const settings = client(options);
    expect([settings.ssl, settings.sasl]).toEqual([undefined, undefined]);
  });
});
