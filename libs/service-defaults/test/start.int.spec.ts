import { type DynamicModule, Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { type CustomTransportStrategy, Server } from '@nestjs/microservices';
import { EventServer } from '@tandem/messaging';
import { defineErrors, PROBLEM_FORMAT } from '@tandem/http-api';
import { BaseConfig, bootstrap, defineApp, ServiceModule } from '../src';
import { PinoLogger } from '../src/logging/logger';

const steps: string[] = [];

/** Replaces the event transport, and records when it would start to consume. */
class RecordingEventServer extends Server implements CustomTransportStrategy {
  listen(callback: () => void): void {
    steps.push('consuming');
    callback();
  }
  close(): void {
    return undefined;
  }
  override on(): never {
    throw new Error('not used');
  }
  override unwrap<T>(): T {
    throw new Error('not used');
  }
}

@Injectable()
class SlowStart implements OnModuleInit {
  async onModuleInit(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 100));
    steps.push('prepared');
  }
}

@Module({})
class SampleModule {
  static register(config: BaseConfig): DynamicModule {
    return {
      module: SampleModule,
      imports: [ServiceModule.register(config)],
      providers: [SlowStart, { provide: EventServer, useClass: RecordingEventServer }],
    };
  }
}

const definitionOf = (module: (config: BaseConfig) => DynamicModule) =>
  defineApp({
    name: 'sample',
    config: BaseConfig,
    module,
    errors: defineErrors([]),
    errorFormat: PROBLEM_FORMAT,
    openapi: { title: 'Sample', description: 'Sample' },
  });

describe('the startup of an app', () => {
  it('logs no error when the app has no events', async () => {
    const logged = jest.spyOn(PinoLogger.prototype, 'error');
    const withoutEvents = (config: BaseConfig): DynamicModule => ({
      module: SampleModule,
      imports: [ServiceModule.register(config)],
    });
    const app = await bootstrap(definitionOf(withoutEvents), { PORT: '0', LOG_LEVEL: 'silent' });
    await app.close();
    expect(logged).not.toHaveBeenCalled();
  });

  it('consumes events only after every onModuleInit has finished', async () => {
    const app = await bootstrap(definitionOf(SampleModule.register.bind(SampleModule)), {
      PORT: '0',
      LOG_LEVEL: 'silent',
    });
    await app.close();
    expect(steps).toEqual(['prepared', 'consuming']);
  });
});
