const text = { type: 'string' } as const;
const empty = { type: 'object', additionalProperties: false } as const;
const variant = (name: string, data: object = empty): object => ({
  type: 'object',
  required: [name],
  properties: { [name]: data },
});
const withFields = (fields: Record<string, object>): object => ({
  type: 'object',
  required: Object.keys(fields),
  properties: fields,
});

/** The bodies of errors. */
export const ERROR_SCHEMAS = {
  Error: withFields({ error: text }),
  BadRequest: withFields({
    BadRequest: {
      oneOf: [
        variant('InputValidationFailure', withFields({ invalid_fields: { type: 'array', items: text } })),
        variant('UserAlreadyExists'),
        variant('UserNotFound'),
        variant('TwoFactorAuthRequired'),
        variant('EntitlementsRequired'),
        variant('AttemptsTooEarly', withFields({ retry_after: { type: 'integer', description: 'Seconds' } })),
        variant('MaximumAttemptsReached', withFields({ max_allowed: { type: 'integer' } })),
      ],
    },
  }),
};
