import { createDataSource, migrateSchema } from '@tandem/database';
import { createTestDatabase, TEST_ROLE_PASSWORD, type TestDatabase } from '@tandem/testing';
import type { FastifyReply } from 'fastify';
import { register } from 'prom-client';
import type { DataSource } from 'typeorm';
import { RateLimitedError } from '@tandem/http-api';
import { RATE_LIMIT_MIGRATIONS, RateLimits } from '../src';
import { RateLimitRepository } from '../src/rate-limit.repository';

async function migrate(superuserUrl: string): Promise<void> {
  const options = { superuserUrl, rolePassword: TEST_ROLE_PASSWORD, schema: 'sample' };
  await migrateSchema({ ...options, migrations: RATE_LIMIT_MIGRATIONS });
}

describe('the metric of rate limits', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  beforeAll(async () => {
    database = await createTestDatabase({ template: 'service-defaults-rate-limits-1', prepare: migrate });
    dataSource = await createDataSource({ url: database.urlFor('sample'), applicationName: 'test' }).initialize();
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  it('counts refused requests by policy, and reports 0 for a policy that has refused none', async () => {
    const limits = new RateLimits(new RateLimitRepository(dataSource.manager), {
      read: { limit: 1, windowSeconds: 60 },
      write: { limit: 1, windowSeconds: 60 },
    });
    const reply = { headers: () => reply } as unknown as FastifyReply;
    await limits.admit('somebody', 'read', reply);
    const refused = (): Promise<void> => limits.admit('somebody', 'read', reply);
    for (let time = 0; time < 2; time++) await expect(refused()).rejects.toThrow(RateLimitedError);
    const text = await register.metrics();
    expect(text).toContain('rate_limit_refused_total{policy="read"} 2');
    expect(text).toContain('rate_limit_refused_total{policy="write"} 0');
  });
});
