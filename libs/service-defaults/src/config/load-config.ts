import 'reflect-metadata';
import { getMetadataStorage, validateSync } from 'class-validator';
import type { BaseConfig } from './base-config';
import { NEEDED } from './needed-when';
import { keepTexts, parseOf } from './parsed';

/** A class of validated settings. */
export type ConfigClass<C extends BaseConfig> = new () => C;

/** The environment is invalid. The message names each invalid variable and its fault, but not its value. */
export class ConfigError extends Error {
  readonly code = 'invalid_configuration';

  constructor(readonly problems: readonly string[]) {
    super(`invalid configuration:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

/**
 * Reads the environment into a config class. A text is converted to the property's type (number, boolean, string), or by the
 * property's `@Parsed()`; an unset or empty variable keeps the class's default.
 *
 * @throws ConfigError that names every missing or invalid variable
 */
export function loadConfig<C extends BaseConfig>(Config: ConfigClass<C>, env: NodeJS.ProcessEnv): C {
  const config = new Config();
  const record = config as Record<string, unknown>;
  const texts: Record<string, string> = {};
  for (const name of variablesOf(Config)) {
    const text = env[name];
    if (text === undefined || text === '') continue;
    texts[name] = text;
    record[name] = valueOf(text, record[name], Config.prototype as object, name);
  }
  keepTexts(config, texts);
  const problems = validateSync(config, { validationError: { target: false, value: false } }).map(
    ({ property, constraints = {} }) =>
      record[property] === undefined
        ? [`${property} is not set`, ...(constraints[NEEDED] ? [constraints[NEEDED]] : [])].join(', and ')
        : `${property}: ${Object.values(constraints)
            .map((text) => text.replace(`${property} `, ''))
            .join(', ')}`,
  );
  if (problems.length) throw new ConfigError(problems);
  return config;
}

/** Returns the variables of a config class: its validated properties. */
export function variablesOf(Config: ConfigClass<BaseConfig>): string[] {
  const metadata = getMetadataStorage().getTargetValidationMetadatas(Config, '', true, false);
  return [...new Set(metadata.map(({ propertyName }) => propertyName))];
}

/** Converts a text to the type of its property. A text that cannot be converted is returned unchanged: then the validation names its variable. */
function valueOf(text: string, initial: unknown, prototype: object, property: string): unknown {
  const parse = parseOf(prototype, property);
  if (!parse) return convert(text, typeOf(initial, prototype, property));
  try {
    return parse(text);
  } catch {
    return text;
  }
}

/** Returns the name of the default's type or, without a default, of the declared type, which decorators make visible at run time. */
function typeOf(value: unknown, prototype: object, property: string): string {
  if (value !== undefined) return typeof value;
  const declared: unknown = Reflect.getMetadata('design:type', prototype, property);
  return declared === Number ? 'number' : declared === Boolean ? 'boolean' : 'string';
}

function convert(text: string, type: string): unknown {
  if (type === 'number') return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
  if (type === 'boolean') return { true: true, '1': true, false: false, '0': false }[text.toLowerCase()] ?? text;
  return text;
}
