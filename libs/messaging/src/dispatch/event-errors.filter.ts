import { Catch, type ExceptionFilter } from '@nestjs/common';
import { EXCEPTION_FILTERS_METADATA } from '@nestjs/common/constants';
import type { ModulesContainer } from '@nestjs/core';
import { PATTERN_HANDLER_METADATA } from '@nestjs/microservices/constants';
import { PatternHandler } from '@nestjs/microservices/enums/pattern-handler.enum';
import { type Observable, throwError } from 'rxjs';

/**
 * Passes a handler's error on as it is. Nest's own last filter logs it raw, with the parameters of a failed query, and turns
 * it into "Internal server error": the dispatcher could not tell an outage from poison.
 */
@Catch()
export class EventErrorsFilter implements ExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

/**
 * Puts the filter behind the filters that the handlers and their classes have, and before global ones, which are made for
 * HTTP. Must run after the modules were scanned and before the microservice is connected.
 */
export function passErrorsOfEventHandlers(modules: ModulesContainer): void {
  for (const { controllers } of modules.values()) {
    for (const { metatype } of controllers.values()) {
      if (typeof metatype === 'function') passErrorsOf(metatype);
    }
  }
}

function passErrorsOf(controller: object & { prototype?: unknown }): void {
  const prototype = controller.prototype as Record<string, unknown>;
  const ofClass = (Reflect.getMetadata(EXCEPTION_FILTERS_METADATA, controller) ?? []) as unknown[];
  for (let level = prototype; level && level !== Object.prototype; level = Object.getPrototypeOf(level)) {
    for (const name of Object.getOwnPropertyNames(level)) {
      const method = Object.getOwnPropertyDescriptor(level, name)?.value as unknown;
      if (typeof method !== 'function' || name === 'constructor') continue;
      if (Reflect.getMetadata(PATTERN_HANDLER_METADATA, method) !== PatternHandler.EVENT) continue;
      const ofMethod = (Reflect.getMetadata(EXCEPTION_FILTERS_METADATA, method) ?? []) as unknown[];
      if (ofMethod.some((filter) => filter instanceof EventErrorsFilter)) continue;
      // Nest asks the last one first.
      Reflect.defineMetadata(EXCEPTION_FILTERS_METADATA, [new EventErrorsFilter(), ...ofClass, ...ofMethod], method);
    }
  }
}
