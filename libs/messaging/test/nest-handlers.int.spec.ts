import {
  type ArgumentsHost,
  type CallHandler,
  type CanActivate,
  Catch,
  Controller,
  type ExceptionFilter,
  type NestInterceptor,
  ParseIntPipe,
  type Type,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { Ctx, EventPattern, MessagePattern, Payload } from '@nestjs/microservices';
import { eventually } from '@tandem/testing';
import { EMPTY, mergeMap, type Observable, timer } from 'rxjs';
import { EventContext, HandlerRegistrationError, wanting } from '../src';
import { recordEffect } from './fixture/app';
import { BusTest, describeOnEachBus, take } from './fixture/bus';
import { note, NoteTaken } from './fixture/note';

jest.setTimeout(60_000);

const QUICK = { handlerBackoffMs: 5, handlerBackoffMaxMs: 20, handlerAttempts: 2 };

/** With what Nest puts around a handler. */
describeOnEachBus((bus) => {
  let test: BusTest;
  beforeEach(async () => {
    test = await BusTest.begin(bus);
  });
  afterEach(() => test.end());

  const reasons = async (): Promise<unknown[]> =>
    (await test.database.query('SELECT reason FROM reader.dead_letter')).map(({ reason }) => reason);

  const withHandler = async (decorate: (topic: string) => Type<unknown>): Promise<void> => {
    const writer = await test.writer();
    await test.reader({ handle: undefined, controllers: [decorate(test.topic.event.topic)], tuning: QUICK });
    await take(writer, test.topic, [note('a', 1)]);
  };

  it('does nothing for an event that its handler does not want, not even note it', async () => {
    const writer = await test.writer();
    const { topic } = test.topic.event;
    @Controller()
    class Choosy {
      @EventPattern(topic, wanting((one: NoteTaken) => one.number > 1))
      handle(@Payload() one: NoteTaken, @Ctx() context: EventContext): Promise<void> {
        return recordEffect(one, context);
      }
    }
    await test.reader({ handle: undefined, controllers: [Choosy], tuning: QUICK });
    await take(writer, test.topic, [note('a', 1), note('a', 2)]);
    await eventually(async () => expect(await test.effects()).toMatchObject([{ number: 2 }]));
    expect(await test.count('reader.inbox')).toBe(1);
  });

  it('sets aside what a guard refuses', async () => {
    class Closed implements CanActivate {
      canActivate(): boolean {
        return false;
      }
    }
    await withHandler((topic) => {
      @Controller()
      class Guarded {
        @UseGuards(Closed)
        @EventPattern(topic)
        handle(@Payload() one: NoteTaken, @Ctx() context: EventContext): Promise<void> {
          return recordEffect(one, context);
        }
      }
      return Guarded;
    });
    await eventually(async () => expect(await reasons()).toEqual(['Error: Forbidden resource']));
    expect(await test.effects()).toEqual([]);
  });

  it('sets aside what a pipe refuses, with the error of the pipe', async () => {
    await withHandler((topic) => {
      @Controller()
      class Piped {
        @EventPattern(topic)
        handle(@Payload('book', ParseIntPipe) _book: number): void {
          return undefined;
        }
      }
      return Piped;
    });
    await eventually(async () =>
      expect(await reasons()).toEqual([expect.stringContaining('numeric string is expected')]),
    );
  });

  it('takes an event as handled whose error a filter of the handler answers', async () => {
    @Catch(RangeError)
    class Swallow implements ExceptionFilter {
      catch(_: RangeError, __: ArgumentsHost): Observable<never> {
        return EMPTY;
      }
    }
    await withHandler((topic) => {
      @Controller()
      @UseFilters(Swallow)
      class Filtered {
        @EventPattern(topic)
        async handle(@Payload() one: NoteTaken, @Ctx() context: EventContext): Promise<void> {
          await recordEffect(one, context);
          throw new RangeError('harmless');
        }
      }
      return Filtered;
    });
    await eventually(async () => expect(await test.effects()).toHaveLength(1));
    expect(await reasons()).toEqual([]);
  });

  it('awaits what an interceptor makes of the handler', async () => {
    class FailLater implements NestInterceptor {
      intercept(_: unknown, next: CallHandler): Observable<unknown> {
        return next.handle().pipe(
          mergeMap(() => timer(50)),
          mergeMap(() => {
            throw new Error('failed later');
          }),
        );
      }
    }
    await withHandler((topic) => {
      @Controller()
      class Intercepted {
        @UseInterceptors(FailLater)
        @EventPattern(topic)
        handle(@Payload() one: NoteTaken, @Ctx() context: EventContext): Promise<void> {
          return recordEffect(one, context);
        }
      }
      return Intercepted;
    });
    await eventually(async () => expect(await reasons()).toEqual(['Error: failed later']));
    expect(await test.effects()).toEqual([]);
  });
});

describe('an app whose handlers cannot be served', () => {
  let test: BusTest;
  beforeEach(async () => {
    test = await BusTest.begin('postgres');
  });
  afterEach(() => test.end());

  const start = (controller: Type<unknown>): Promise<unknown> =>
    test.reader({ handle: undefined, controllers: [controller] });

  it('does not start with two handlers of one topic', async () => {
    @Controller()
    class Second {
      @EventPattern(test.topic.event.topic)
      handle(): void {
        return undefined;
      }
    }
    await expect(test.reader({ controllers: [Second] })).rejects.toThrow(HandlerRegistrationError);
  });

  it('does not start with a topic that no contract knows', async () => {
    @Controller()
    class Unknown {
      @EventPattern('unknown.topic')
      handle(): void {
        return undefined;
      }
    }
    await expect(start(Unknown)).rejects.toThrow('unknown.topic is no topic');
  });

  it('does not start with a handler that would answer', async () => {
    @Controller()
    class Answering {
      @MessagePattern(test.topic.event.topic)
      handle(): void {
        return undefined;
      }
    }
    await expect(start(Answering)).rejects.toThrow('use @EventPattern');
  });
});
