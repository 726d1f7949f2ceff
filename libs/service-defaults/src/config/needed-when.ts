import { ValidateBy, ValidateIf } from 'class-validator';

/** The name of the constraint whose message is the reason why a variable is needed. `loadConfig` reads this message. */
export const NEEDED = 'needed';

/**
 * A setting that is required only if `condition` is true; its other rules apply whenever it is set.
 *
 * @param reason for the ConfigError: `<variable> is not set, and <reason>`
 */
export const NeededWhen =
  <C extends object>(condition: (config: C) => boolean, reason: string): PropertyDecorator =>
  (target, property) => {
    const isSet = (config: C): boolean => (config as Record<PropertyKey, unknown>)[property] !== undefined;
    ValidateIf((config: C) => isSet(config) || condition(config))(target, property);
    const validate = (value: unknown): boolean => value !== undefined;
    ValidateBy({ name: NEEDED, validator: { validate } }, { message: reason })(target, property);
  };
