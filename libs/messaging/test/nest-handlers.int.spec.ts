import {
  type ArgumentsHost,
  type CallHandler,
  type CanActivate,
  Catch,
  Controller,
  type ExceptionFilter,
  type NestInterceptor,
  ParseBoolPipe,
  type Type,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { Ctx, EventPattern, MessagePattern, Payload } from '@nestjs/microservices';
import { describeOnEachBus, eventually } from '@tandem/testing';
import { EMPTY, mergeMap, type Observable, timer } from 'rxjs';
import { EventBatch, EventHandler, HandlerRegistrationError, type ReceivedEvent } from '../src';
import { oneByOne, recordEffect } from './fixture/app';
import { BusTest, take } from './fixture/bus';
import { note, type NoteTaken, type NoteTopic, noteTopic } from './fixture/note';

jest.setTimeout(60_000);

const QUICK = { handlerBackoffMs: 5, handlerBackoffMaxMs: 20, handlerAttempts: 2 };

const record = oneByOne(recordEffect);

/** These tests run handlers with guards, pipes, interceptors and filters of Nest. */
describeOnEachBus((bus) => {
  let test: BusTest;
  beforeEach(async () => {
    test = await BusTest.begin(bus);
  });
  afterEach(() => test.end());

  const reasons = async (): Promise<unknown[]> =>
    (await test.database.query('SELECT reason FROM reader.dead_letter')).map(({ reason }) => reason);

  const withHandler = async (decorate: (event: NoteTopic['event']) => Type<unknown>): Promise<void> => {
    const writer = await test.writer();
    await test.reader({ handle: undefined, controllers: [decorate(test.topic.event)], tuning: QUICK });
    await take(writer, test.topic, [note('a', 1)]);
  };

  it('skips an event for which mayConcern returns false, and inserts no inbox row', async () => {
    const writer = await test.writer();
    @Controller()
    class Choosy {
      @EventHandler(test.topic.event, { mayConcern: (value) => value.includes('"number":2') })
      handle(@Payload() notes: ReceivedEvent<NoteTaken>[], @Ctx() batch: EventBatch): Promise<void> {
        return record(notes, batch);
      }
    }
    await test.reader({ handle: undefined, controllers: [Choosy], tuning: QUICK });
    await take(writer, test.topic, [note('a', 1), note('a', 2)]);
    await eventually(async () => expect(await test.effects()).toMatchObject([{ number: 2 }]));
    expect(await test.count('reader.inbox')).toBe(1);
  });

  it('makes a dead letter of an event that a guard refuses', async () => {
    class Closed implements CanActivate {
      canActivate(): boolean {
        return false;
      }
    }
    await withHandler((event) => {
      @Controller()
      class Guarded {
        @UseGuards(Closed)
        @EventHandler(event)
        handle(@Payload() notes: ReceivedEvent<NoteTaken>[], @Ctx() batch: EventBatch): Promise<void> {
          return record(notes, batch);
        }
      }
      return Guarded;
    });
    await eventually(async () => expect(await reasons()).toEqual(['Error: Forbidden resource']));
    expect(await test.effects()).toEqual([]);
  });

  it('makes a dead letter of an event that a pipe refuses, with the pipe’s error', async () => {
    await withHandler((event) => {
      @Controller()
      class Piped {
        @EventHandler(event)
        handle(@Payload('length', ParseBoolPipe) _length: boolean): void {
          return undefined;
        }
      }
      return Piped;
    });
    await eventually(async () =>
      expect(await reasons()).toEqual([expect.stringContaining('boolean string is expected')]),
    );
  });

  it('counts an event as handled when a filter above @EventHandler catches the handler’s error', async () => {
    @Catch(RangeError)
    class Swallow implements ExceptionFilter {
      catch(_: RangeError, __: ArgumentsHost): Observable<never> {
        return EMPTY;
      }
    }
    await withHandler((event) => {
      @Controller()
      class Filtered {
        @UseFilters(Swallow)
        @EventHandler(event)
        async handle(@Payload() notes: ReceivedEvent<NoteTaken>[], @Ctx() batch: EventBatch): Promise<void> {
          await record(notes, batch);
          throw new RangeError('harmless');
        }
      }
      return Filtered;
    });
    await eventually(async () => expect(await test.effects()).toHaveLength(1));
    expect(await reasons()).toEqual([]);
  });

  it('makes a dead letter of an event when the stream that an interceptor returns fails', async () => {
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
    await withHandler((event) => {
      @Controller()
      class Intercepted {
        @UseInterceptors(FailLater)
        @EventHandler(event)
        handle(@Payload() notes: ReceivedEvent<NoteTaken>[], @Ctx() batch: EventBatch): Promise<void> {
          return record(notes, batch);
        }
      }
      return Intercepted;
    });
    await eventually(async () => expect(await reasons()).toEqual(['Error: failed later']));
    expect(await test.effects()).toEqual([]);
  });
});

describe('an app whose handlers cannot be registered', () => {
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
      @EventHandler(test.topic.event)
      handle(): void {
        return undefined;
      }
    }
    await expect(test.reader({ controllers: [Second] })).rejects.toThrow(HandlerRegistrationError);
  });

  it('does not start with a handler of a topic that is not in the topology', async () => {
    @Controller()
    class Unknown {
      @EventHandler({ ...noteTopic().event, topic: 'unknown.topic' })
      handle(): void {
        return undefined;
      }
    }
    await expect(start(Unknown)).rejects.toThrow('unknown.topic is not in the topology');
  });

  it('does not start with a handler of requests (@MessagePattern)', async () => {
    @Controller()
    class Answering {
      @MessagePattern(test.topic.event.topic)
      handle(): void {
        return undefined;
      }
    }
    await expect(start(Answering)).rejects.toThrow('declared by @EventHandler');
  });

  it('does not start with a handler declared by Nest’s @EventPattern, whose errors Nest’s own filter would catch', async () => {
    @Controller()
    class Plain {
      @EventPattern(test.topic.event.topic)
      handle(): void {
        return undefined;
      }
    }
    await expect(start(Plain)).rejects.toThrow('declared by @EventHandler');
  });
});
