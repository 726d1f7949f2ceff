import { applyDecorators } from '@nestjs/common';
import { IsInt, Max, Min } from 'class-validator';

/** A setting that is a whole number within bounds; without `max` any that is `min` or more. */
export const WholeNumber = (min: number, max?: number): PropertyDecorator =>
  applyDecorators(...(max === undefined ? [] : [Max(max)]), Min(min), IsInt());
