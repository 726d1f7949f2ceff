import { IsBoolean, IsInt, IsOptional, IsString, Min } from 'class-validator';
import { BaseConfig } from './base-config';
import { DevelopmentOnly } from './development-only';
import { ConfigError, loadConfig } from './load-config';

class SampleConfig extends BaseConfig {
  @IsInt()
  @Min(1)
  WAIT_MS = 5;

  @IsBoolean()
  ALLOW = false;

  @IsBoolean()
  @DevelopmentOnly((on) => on === true)
  WEAK = false;

  @IsString()
  NEEDED!: string;

  @IsOptional()
  @IsString()
  EXTRA?: string;
}

const env = { DATABASE_URL: 'postgres://a:b@localhost/x', NEEDED: 'yes' };
const problemsOf = (changed: NodeJS.ProcessEnv): readonly string[] => {
  try {
    loadConfig(SampleConfig, { ...env, ...changed });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

describe('loadConfig', () => {
  it('keeps the defaults of what is not set, or set to nothing', () => {
    expect(loadConfig(SampleConfig, { ...env, WAIT_MS: '' })).toMatchObject({ WAIT_MS: 5, ALLOW: false, PORT: 3000 });
  });

  it('turns text into numbers and booleans', () => {
    expect(loadConfig(SampleConfig, { ...env, WAIT_MS: '250', ALLOW: 'true' })).toMatchObject({
      WAIT_MS: 250,
      ALLOW: true,
    });
    expect(loadConfig(SampleConfig, { ...env, ALLOW: 'false' }).ALLOW).toBe(false);
  });

  it('names every variable that is wrong, in one error', () => {
    const problems = problemsOf({ NEEDED: undefined, WAIT_MS: 'soon', ALLOW: 'perhaps' });
    expect(problems).toEqual([
      expect.stringContaining('WAIT_MS'),
      expect.stringContaining('ALLOW'),
      'NEEDED is not set',
    ]);
  });

  it('never repeats a value', () => {
    expect(problemsOf({ DATABASE_URL: 'mysql://root:hunter2@db/x' }).join()).not.toContain('hunter2');
  });

  it('refuses a development switch in production, and names it', () => {
    const problem = 'WEAK: is for development only, and NODE_ENV is production';
    expect(problemsOf({ NODE_ENV: 'production', WEAK: 'true' })).toEqual([problem]);
    expect(problemsOf({ NODE_ENV: 'production', WEAK: 'false' })).toEqual([]);
    expect(problemsOf({ NODE_ENV: 'development', WEAK: 'true' })).toEqual([]);
  });

  it('wants brokers when the bus is Kafka', () => {
    expect(problemsOf({ EVENT_BUS: 'kafka' })).toEqual(['KAFKA_BROKERS is not set, and EVENT_BUS is kafka']);
    expect(problemsOf({ EVENT_BUS: 'kafka', KAFKA_BROKERS: 'a:9092' })).toEqual([]);
  });
});
