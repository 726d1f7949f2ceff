import { ValidateBy } from 'class-validator';
import type { BaseConfig } from './base-config';

/**
 * Marks a setting that weakens an app for development or tests: with it on, the app does not start when NODE_ENV is
 * `production` (exit code 78, and the name of the setting).
 *
 * @param isOn whether a value of the setting is one for development
 */
export const DevelopmentOnly = (isOn: (value: unknown) => boolean): PropertyDecorator =>
  ValidateBy(
    {
      name: 'developmentOnly',
      validator: {
        validate: (value, context) => (context?.object as BaseConfig).NODE_ENV !== 'production' || !isOn(value),
      },
    },
    { message: 'is for development only, and NODE_ENV is production' },
  );
