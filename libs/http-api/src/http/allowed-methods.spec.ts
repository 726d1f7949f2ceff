import fastify from 'fastify';
import { AllowedMethods } from './allowed-methods';

describe('AllowedMethods', () => {
  it('returns the methods of a path, however long its parameters are', () => {
    const app = fastify();
    const allowed = new AllowedMethods();
    allowed.observe(app);
    app.get('/sales/:oid', () => '');
    app.post('/sales/:oid/release', () => '');
    for (const length of [1, 100, 101, 512, 10_000]) {
      expect(allowed.of(`/sales/${'x'.repeat(length)}?a=b`)).toEqual(['GET', 'HEAD']);
      expect(allowed.of(`/sales/${'x'.repeat(length)}/release`)).toEqual(['POST']);
    }
    expect(allowed.of('/unknown')).toEqual([]);
  });
});
