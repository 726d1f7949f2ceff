import { ValidateBy, type ValidationArguments } from 'class-validator';
import { isDeployed, nodeEnvOf } from './development-only';
import { textOf } from './parsed';
import { secretProblem } from './published-secrets';

const problemOf = ({ object, property }: ValidationArguments): string | undefined =>
  isDeployed(object) ? secretProblem(textOf(object, property) ?? '') : undefined;

/**
 * Marks a setting that holds a secret, keys, or the URL of a database. If NODE_ENV is `staging` or `production`, an app does not
 * start with a secret that everybody can read in this repository, or with a key of zeros.
 */
export const OwnSecret = (): PropertyDecorator =>
  ValidateBy({
    name: 'ownSecret',
    validator: {
      validate: (_, args) => args === undefined || problemOf(args) === undefined,
      defaultMessage: (args) =>
        args === undefined ? '' : `${problemOf(args)}, and NODE_ENV is ${nodeEnvOf(args.object)}`,
    },
  });
