import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import type { FieldProblem } from './http-failure';
import { unknownParameters } from './known-parameters';
import { UnreadableBodyError, ValidationFailedError } from './request-errors';

/**
 * Converts bodies and queries to their DTO classes. Throws ValidationFailedError with every invalid field, or
 * UnreadableBodyError for a body that is not an object. A missing body counts as an empty object.
 */
export class DtoPipe extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      whitelist: false,
      validationError: { target: false, value: false },
      exceptionFactory: (errors) => new ValidationFailedError(fieldProblems(errors)),
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { metatype } = metadata;
    if (metadata.type === 'body' && metatype && metatype !== Object) {
      if (value === undefined) return super.transform({}, metadata);
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        throw new UnreadableBodyError('The body must be a JSON object.');
      }
    }
    const unknown = metadata.type === 'query' && metatype ? unknownParameters(value, metatype) : [];
    if (unknown.length === 0) return super.transform(value, metadata) as Promise<unknown>;
    throw new ValidationFailedError([...unknown, ...(await this.problemsOf(value, metadata))]);
  }

  private async problemsOf(value: unknown, metadata: ArgumentMetadata): Promise<readonly FieldProblem[]> {
    try {
      await super.transform(value, metadata);
      return [];
    } catch (error) {
      if (error instanceof ValidationFailedError) return error.fields;
      throw error;
    }
  }
}

/**
 * Flattens class-validator's tree into a list of paths with one message each. If several decorators of a field refuse
 * the value, only the message of the decorator that was applied last is used: the other decorators assume that its rule
 * holds. Decorators above a field are applied from the bottom up.
 */
export function fieldProblems(errors: readonly ValidationError[], parent = ''): FieldProblem[] {
  return errors.flatMap(({ property, constraints, children }) => {
    const field = parent ? `${parent}.${property}` : property;
    const own = constraints ? [{ field, message: Object.values(constraints).at(-1) as string }] : [];
    return [...own, ...fieldProblems(children ?? [], field)];
  });
}
