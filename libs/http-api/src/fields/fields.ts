import { applyDecorators, type Type as Class } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { IsStorable, IsText, IsTimestamp } from './field-rules';
import { MUST_BE } from './field-words';

/*
 * The fields of a request, an answer or an internal contract. Each decorator validates the field (class-validator) and
 * describes it in the OpenAPI document, so that both come from the same options. By default, a field is required and
 * must not be null.
 */

export interface FieldOptions {
  description?: string;
  /** An example value: shown in the document, and part of the examples of whole answers. */
  example?: unknown;
  /** The field may be null. */
  nullable?: boolean;
  /** The field may be omitted. */
  optional?: boolean;
  /**
   * For query parameters: documents the value that the app uses if the field is omitted. It does not set the value.
   */
  default?: unknown;
  /** Additions to the schema, for example rules that the app's configuration defines and the app checks itself. */
  schema?: object;
}

/**
 * Returns the decorator of a field: its validation and its description in the OpenAPI document.
 * @param rules in order, with the check of the type last: if several rules refuse a value, the last rule's message is used
 */
function field(schema: object, rules: readonly PropertyDecorator[], options: FieldOptions): PropertyDecorator {
  const { optional = false, nullable = false, schema: more, ...shown } = options;
  const described = { ...schema, ...more, ...shown, ...(nullable && { nullable }), required: !optional };
  return applyDecorators(
    noteField,
    ...rules,
    ...absence(optional, nullable),
    ApiProperty(described as ApiPropertyOptions),
  );
}

const FIELDS = Symbol('tandem:fields');

const noteField: PropertyDecorator = (target, name) =>
  Reflect.defineMetadata(FIELDS, [...describedFields(target.constructor as Class<unknown>), name], target);

/** Returns the names of the fields of a class that have one of the decorators below, in order. */
export const describedFields = (type: Class<unknown>): string[] =>
  (Reflect.getMetadata(FIELDS, type.prototype as object) as string[] | undefined) ?? [];

function absence(optional: boolean, nullable: boolean): PropertyDecorator[] {
  if (optional && nullable) return [IsOptional()];
  if (optional) return [ValidateIf((_object: object, value: unknown) => value !== undefined)];
  return nullable ? [ValidateIf((_object: object, value: unknown) => value !== null)] : [];
}

export interface TextFieldOptions extends FieldOptions {
  /** The minimum length in characters. */
  min?: number;
  max?: number;
  /**
   * The pattern of the text. The document shows it unless it has the flag `u`: not all tools that read the document support Unicode
   * properties.
   */
  pattern?: RegExp;
  /** The message when the pattern does not match. */
  message?: string;
  /** JSON Schema's `format`; not validated. */
  format?: string;
  /** Refuses U+0000 and lone surrogates: Postgres does not store them unchanged, and fails when it reads them in JSON. */
  storable?: boolean;
}

export function TextField(options: TextFieldOptions = {}): PropertyDecorator {
  const { min, max, pattern, message, format, storable, ...rest } = options;
  const ofLength = says(MUST_BE.ofLength(min, max));
  const rules = [
    ...(min === undefined ? [] : [MinLength(min, ofLength)]),
    ...(max === undefined ? [] : [MaxLength(max, ofLength)]),
    ...(storable ? [IsStorable(says(MUST_BE.storable))] : []),
    ...(pattern ? [Matches(pattern, message === undefined ? says(MUST_BE.ofForm(pattern)) : { message })] : []),
    IsString(says(MUST_BE.text)),
  ];
  const shown = pattern?.unicode ? undefined : pattern?.source;
  return field(withoutGaps({ type: 'string', format, pattern: shown, minLength: min, maxLength: max }), rules, rest);
}

/** A UUID. */
export const IdField = (options: FieldOptions = {}): PropertyDecorator =>
  field({ type: 'string', format: 'uuid' }, [IsUUID(undefined, says(MUST_BE.uuid))], options);

/** An ISO 8601 date and time with an offset; read it with `timeOf`. */
export const TimeField = (options: FieldOptions = {}): PropertyDecorator =>
  field({ type: 'string', format: 'date-time' }, [IsTimestamp(says(MUST_BE.time))], options);

export interface IntegerFieldOptions extends FieldOptions {
  min?: number;
  max?: number;
  /** Converts a text of decimal digits to a number before the checks; for query parameters. */
  fromText?: boolean;
}

/** Matches an integer in the only form that a query may have: no exponent, no other base, no leading zero, no sign but a minus. */
const INTEGER_TEXT = /^-?(?:0|[1-9]\d*)$/;
const toInteger = ({ value }: { value: unknown }): unknown =>
  typeof value === 'string' && INTEGER_TEXT.test(value) ? Number(value) : value;

export function IntegerField({ min, max, fromText, ...options }: IntegerFieldOptions = {}): PropertyDecorator {
  const rules = [
    ...(max === undefined ? [] : [Max(max, says(MUST_BE.atMost(max)))]),
    ...(min === undefined ? [] : [Min(min, says(MUST_BE.atLeast(min)))]),
    IsInt(says(MUST_BE.integer)),
    ...(fromText ? [Transform(toInteger)] : []),
  ];
  return field(withoutGaps({ type: 'integer', minimum: min, maximum: max }), rules, options);
}

/** A number, which may have a fraction. */
export const NumberField = ({ min, max, ...options }: FieldOptions & { min: number; max: number }): PropertyDecorator =>
  field(
    { type: 'number', minimum: min, maximum: max },
    [
      Max(max, says(MUST_BE.atMost(max))),
      Min(min, says(MUST_BE.atLeast(min))),
      IsNumber(undefined, says(MUST_BE.number)),
    ],
    options,
  );

export const FlagField = (options: FieldOptions = {}): PropertyDecorator =>
  field({ type: 'boolean' }, [IsBoolean(says(MUST_BE.flag))], options);

/**
 * A text that the app's own rule checks.
 *
 * @param schema the part of the rule that a schema can express
 * @param message the message if the rule refuses the value
 */
export function RuleField(
  rule: (value: unknown) => boolean,
  { schema = {}, message, ...options }: FieldOptions & { message: string },
): PropertyDecorator {
  const validate = (value: unknown): boolean => rule(value);
  return field(
    { type: 'string', ...schema },
    [ValidateBy({ name: rule.name, validator: { validate } }, { message })],
    options,
  );
}

/** A text that is one of these values. */
export const EnumField = (values: readonly string[], options: FieldOptions = {}): PropertyDecorator =>
  field({ type: 'string', enum: values }, [IsIn(values, says(MUST_BE.oneOf(values)))], options);

/** A list of some of these texts: at least one, without duplicates. */
export const EnumListField = (values: readonly string[], options: FieldOptions = {}): PropertyDecorator =>
  field(
    { enum: values, isArray: true, minItems: 1, uniqueItems: true },
    [
      IsIn(values, { each: true, ...says(MUST_BE.listOf(values)) }),
      ArrayUnique(says(MUST_BE.withoutRepetitions)),
      ArrayMinSize(1, says(MUST_BE.notEmpty)),
      IsArray(says(MUST_BE.list)),
    ],
    options,
  );

/** A list of at most `maxItems` texts of 1 to `max` characters, which contain neither U+0000 nor lone surrogates. */
export const TextListField = ({
  max,
  maxItems,
  ...options
}: FieldOptions & { max: number; maxItems: number }): PropertyDecorator =>
  field(
    { type: 'array', items: { type: 'string', minLength: 1, maxLength: max }, maxItems },
    [
      IsText(1, max, { each: true, ...says(MUST_BE.texts(max)) }),
      ArrayMaxSize(maxItems, says(MUST_BE.ofAtMost(maxItems))),
      IsArray(says(MUST_BE.list)),
    ],
    options,
  );

/** An object with the fields of a class. @param of returns the class, which may be declared later */
export const ObjectField = (of: () => new () => object, options: FieldOptions = {}): PropertyDecorator =>
  field(
    { type: () => of() },
    [Type(of), ValidateNested(says(MUST_BE.object)), IsObject(says(MUST_BE.object))],
    options,
  );

/** An object with any fields. */
export const AnyObjectField = (options: FieldOptions = {}): PropertyDecorator =>
  field({ type: 'object', additionalProperties: true }, [IsObject(says(MUST_BE.object))], options);

/** A list of objects with the fields of a class. */
export const ListField = (of: () => new () => object, options: FieldOptions = {}): PropertyDecorator =>
  field(
    { type: () => of(), isArray: true },
    [Type(of), ValidateNested({ each: true, ...says(MUST_BE.objects) }), IsArray(says(MUST_BE.objects))],
    options,
  );

const says = (words: string): { message: string } => ({ message: `$property ${words}` });

const withoutGaps = (schema: object): object =>
  Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
