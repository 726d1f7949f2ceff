import { ValidateBy } from 'class-validator';

/** Converts a variable's text to the config's value; throws for an invalid text. */
export type Parse<T extends object> = (text: string) => T;

/** A decorator for properties whose type allows a T. */
export type PropertyOf<T> = <K extends string>(target: { [P in K]?: T }, property: K) => void;

const PARSE = Symbol('tandem:parse');

/** The original texts of each config's variables, for rules that check the text of a parsed value. */
const TEXTS = new WeakMap<object, Record<string, string>>();

export const keepTexts = (config: object, texts: Record<string, string>): void => void TEXTS.set(config, texts);

/** Returns the original text of a config's variable; undefined if it is not set. */
export const textOf = (config: object, variable: string): string | undefined => TEXTS.get(config)?.[variable];

/**
 * Marks a parsed setting: `loadConfig` calls `parse` with the variable's text.
 *
 * @param message what the ConfigError says if `parse` throws, such as `must be a comma-separated list`. The ConfigError contains
 *   neither the text, which may be a secret, nor the error of `parse`
 */
export const Parsed =
  <T extends object>(parse: Parse<T>, message: string): PropertyOf<T> =>
  (target, property) => {
    Reflect.defineMetadata(PARSE, parse, target, property);
    // `loadConfig` replaces the text by the parsed object. If it could not parse the text, the value is still a string.
    const validate = (value: unknown): boolean => typeof value === 'object';
    ValidateBy({ name: 'parsed', validator: { validate } }, { message })(target, property);
  };

/** Returns the function that parses a property of a config class; undefined for text, numbers and booleans. */
export const parseOf = (prototype: object, property: string): Parse<object> | undefined =>
  Reflect.getMetadata(PARSE, prototype, property) as Parse<object> | undefined;

/** `a, b,` → `['a', 'b']` */
export const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** Returns the entries of a comma-separated list. @throws Error when it is empty */
export function nonEmptyListOf(text: string): string[] {
  const entries = listOf(text);
  if (entries.length === 0) throw new Error('the list is empty');
  return entries;
}
