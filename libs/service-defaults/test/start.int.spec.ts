import { type DynamicModule, Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { type CustomTransportStrategy, Server } from '@nestjs/microservices';
import { EventServer } from '@tandem/messaging';
import { BaseConfig, bootstrap, defineApp, defineErrors, PROBLEM_FORMAT, ServiceModule } from '../src';

const steps: string[] = [];

/** In the place of the event transport: says when it would begin to consume. */
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

describe('the start of an app', () => {
  it('consumes events only when every onModuleInit is through', async () => {
    const app = await bootstrap(
      defineApp({
        name: 'sample',
        config: BaseConfig,
        module: SampleModule.register.bind(SampleModule),
        errors: defineErrors([]),
        errorFormat: PROBLEM_FORMAT,
        openapi: { title: 'Sample', description: 'Sample' },
      }),
      { PORT: '0', LOG_LEVEL: 'silent' },
    );
    await app.close();
    expect(steps).toEqual(['prepared', 'consuming']);
  });
});
