import { expectBehaviour, type TestedSdk } from '../../../sdks/typescript/testing/behaviours';
import { Tandem } from '../src';
import { BEHAVIOURS } from './behaviours';

const token = 'ptk_test_token';

const SDK: TestedSdk = {
  token,
  headers: { 'user-agent': expect.stringMatching(/^tandem-partner-js\/\d/) },
  create: (options, pace) => new Tandem({ token, ...options }, pace),
};

describe('the client in TypeScript', () => {
  it.each(BEHAVIOURS.map((behaviour) => [behaviour.name, behaviour] as const))('%s', (_name, behaviour) =>
    expectBehaviour(behaviour, SDK),
  );
});
