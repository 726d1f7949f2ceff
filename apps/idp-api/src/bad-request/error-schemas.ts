import { PLAIN_FORMAT } from '@tandem/http-api';

type Schema = Readonly<Record<string, unknown>>;

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const withFields = (fields: Readonly<Record<string, Schema>>, description: string): Schema => ({
  type: 'object',
  required: Object.keys(fields),
  properties: fields,
  description,
});

/** The data of each variant, by the variant's name; null for a variant without data. */
const VARIANTS: Readonly<Record<string, Schema | null>> = {
  InputValidationFailure: withFields(
    { invalid_fields: { type: 'array', items: { type: 'string' } } },
    'The paths of all fields that are missing or invalid, and of no others',
  ),
  UserAlreadyExists: null,
  UserNotFound: null,
  TwoFactorAuthRequired: null,
  EntitlementsRequired: null,
  AttemptsTooEarly: withFields(
    { retry_after: { type: 'integer', description: 'Seconds' } },
    'How long the user must wait',
  ),
  MaximumAttemptsReached: withFields({ max_allowed: { type: 'integer' } }, 'How many attempts were allowed'),
};

/**
 * A schema for each variant, and a schema for its data if it has any. All of them are named, because client generators make a sum type
 * only if all alternatives are references.
 */
const VARIANT_SCHEMAS = Object.fromEntries(
  Object.entries(VARIANTS).flatMap(([name, data]): [string, Schema][] => {
    const dataName = data ? `${name}Data` : 'NoData';
    const variant = withFields({ [name]: ref(dataName) }, `The error \`${name}\``);
    return [[name, variant], ...(data ? [[dataName, data] satisfies [string, Schema]] : [])];
  }),
);

/** The schemas of the bodies of errors, for the OpenAPI document. */
export const ERROR_SCHEMAS = {
  ...PLAIN_FORMAT.schemas,
  BadRequest: withFields({ BadRequest: ref('BadRequestVariant') }, 'An error that a client can act on'),
  BadRequestVariant: {
    oneOf: Object.keys(VARIANTS).map(ref),
    description: 'Exactly one variant, keyed by its name. Treat an unknown variant as an unexplained failure.',
  },
  ...VARIANT_SCHEMAS,
  // Declared as a map, because for an object without properties some generators write a type that cannot be decoded.
  NoData: {
    type: 'object',
    additionalProperties: { type: 'string' },
    maxProperties: 0,
    description: 'An object without fields',
  },
  ErrorAnswer: {
    oneOf: [ref('PlainError'), ref('BadRequest')],
    description: 'Either an error that a client can act on, or an error as text',
  },
};
