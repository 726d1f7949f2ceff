import { ValidateBy } from 'class-validator';

/** Turns a variable's text into what the config holds; throws for a text that is wrong. */
export type Parse<T extends object> = (text: string) => T;

/** For a property whose type allows a T. */
export type PropertyOf<T> = <K extends string>(target: { [P in K]?: T }, property: K) => void;

const PARSE = Symbol('tandem:parse');

/** The variables' texts of each config: a rule can check a text that the config holds parsed. */
const TEXTS = new WeakMap<object, Record<string, string>>();

export const keepTexts = (config: object, texts: Record<string, string>): void => void TEXTS.set(config, texts);

/** The text of a config's variable; undefined when it is not set. */
export const textOf = (config: object, variable: string): string | undefined => TEXTS.get(config)?.[variable];

/**
 * Marks a setting that is held parsed: `loadConfig` calls `parse` with the variable's text.
 *
 * @param message what the text must be, for the ConfigError when `parse` throws; the text itself, which may be a secret, and
 *   the error of `parse` are never in it
 */
export const Parsed =
  <T extends object>(parse: Parse<T>, message: string): PropertyOf<T> =>
  (target, property) => {
    Reflect.defineMetadata(PARSE, parse, target, property);
    // What could not be parsed is still the text.
    const validate = (value: unknown): boolean => typeof value === 'object';
    ValidateBy({ name: 'parsed', validator: { validate } }, { message })(target, property);
  };

/** How a property of a config class is parsed; undefined for one that is text, number or boolean. */
export const parseOf = (prototype: object, property: string): Parse<object> | undefined =>
  Reflect.getMetadata(PARSE, prototype, property) as Parse<object> | undefined;

/** `a, b,` → `['a', 'b']` */
export const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** The entries of a comma list. @throws Error when there is none */
export function nonEmptyListOf(text: string): string[] {
  const entries = listOf(text);
  if (entries.length === 0) throw new Error('the list is empty');
  return entries;
}
