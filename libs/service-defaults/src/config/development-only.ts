import { ValidateBy } from 'class-validator';
import type { NodeEnv } from './node-env';

export const nodeEnvOf = (config: object): NodeEnv => (config as { readonly NODE_ENV: NodeEnv }).NODE_ENV;

/** Whether the app serves anyone other than developers and tests. */
export const isDeployed = (config: object): boolean => ['staging', 'production'].includes(nodeEnvOf(config));

export interface DevelopmentOnlyOptions {
  /** What the setting turns on, such as `plain HTTP`: part of the error's message. Default: the message has only the setting's name. */
  readonly what?: string;
  /** Whether staging allows the setting too. Default false. */
  readonly inStaging?: boolean;
}

/**
 * Marks a setting that weakens an app for development or tests. If the setting is on and NODE_ENV is `staging` or `production` (with
 * `inStaging`, only `production`), the app does not start: it exits with code 78, and its error names the setting.
 *
 * @param isOn returns true for the values that weaken the app
 */
export const DevelopmentOnly = (
  isOn: (value: unknown) => boolean,
  { what, inStaging = false }: DevelopmentOnlyOptions = {},
): PropertyDecorator => {
  const isRefused = (config: object): boolean => (inStaging ? nodeEnvOf(config) === 'production' : isDeployed(config));
  const subject = what === undefined ? '' : `${what} `;
  const where = inStaging ? 'development and staging' : 'development';
  return ValidateBy({
    name: 'developmentOnly',
    validator: {
      validate: (value, args) => args === undefined || !isRefused(args.object) || !isOn(value),
      defaultMessage: (args) =>
        `${subject}is for ${where} only, and NODE_ENV is ${args === undefined ? 'set' : nodeEnvOf(args.object)}`,
    },
  });
};
