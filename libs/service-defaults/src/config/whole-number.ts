import { applyDecorators } from '@nestjs/common';
import { IsInt, Max, Min } from 'class-validator';

/** A setting that is a whole number of at least `min` and, if given, at most `max`. */
export const WholeNumber = (min: number, max?: number): PropertyDecorator =>
  applyDecorators(...(max === undefined ? [] : [Max(max)]), Min(min), IsInt());
