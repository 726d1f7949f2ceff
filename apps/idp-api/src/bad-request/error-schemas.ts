import { PLAIN_FORMAT } from '@tandem/http-api';

type Schema = Readonly<Record<string, unknown>>;

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const withFields = (fields: Readonly<Record<string, Schema>>, description: string): Schema => ({
  type: 'object',
  required: Object.keys(fields),
  properties: fields,
  description,
});

/** The data of each variant, by its name; null for one without data. */
const VARIANTS: Readonly<Record<string, Schema | null>> = {
  InputValidationFailure: withFields(
    { invalid_fields: { type: 'array', items: { type: 'string' } } },
    'The paths of exactly those fields that are missing or wrong',
  ),
  UserAlreadyExists: null,
  UserNotFound: null,
  TwoFactorAuthRequired: null,
  EntitlementsRequired: null,
  AttemptsTooEarly: withFields({ retry_after: { type: 'integer', description: 'Seconds' } }, 'How long the lock lasts'),
  MaximumAttemptsReached: withFields({ max_allowed: { type: 'integer' } }, 'How many attempts were allowed'),
};

/**
 * A schema for each variant, and one for its data. Everything has a name: a generator of clients makes a sum type only of alternatives that
 * are references.
 */
const VARIANT_SCHEMAS = Object.fromEntries(
  Object.entries(VARIANTS).flatMap(([name, data]): [string, Schema][] => {
    const dataName = data ? `${name}Data` : 'NoData';
    const variant = withFields({ [name]: ref(dataName) }, `The error \`${name}\``);
    return [[name, variant], ...(data ? [[dataName, data] satisfies [string, Schema]] : [])];
  }),
);

/** The bodies of errors. */
export const ERROR_SCHEMAS = {
  ...PLAIN_FORMAT.schemas,
  BadRequest: withFields({ BadRequest: ref('BadRequestVariant') }, 'An error that a client decides by'),
  BadRequestVariant: {
    oneOf: Object.keys(VARIANTS).map(ref),
    description: 'Exactly one of the variants, by its name. Treat an unknown one as a failure that you cannot explain.',
  },
  ...VARIANT_SCHEMAS,
  // A map, because for an object without properties some generators write a type that nothing decodes.
  NoData: {
    type: 'object',
    additionalProperties: { type: 'string' },
    maxProperties: 0,
    description: 'An object without fields',
  },
  ErrorAnswer: {
    oneOf: [ref('PlainError'), ref('BadRequest')],
    description: 'Where a status has both kinds of errors',
  },
};
