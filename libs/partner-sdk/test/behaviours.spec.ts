import { checkBehaviour } from '../../../sdks/typescript/testing/behaviours';
import * as sdk from '../src';
import { BEHAVIOURS, HANDLERS } from './behaviours';
import { checkHandlerBehaviour, testedSdk } from './check-behaviour';

describe('the client in TypeScript', () => {
  it.each(BEHAVIOURS.map((behaviour) => [behaviour.name, behaviour] as const))('%s', (_name, behaviour) =>
    checkBehaviour(behaviour, testedSdk(sdk)),
  );
});

describe('the endpoint in TypeScript', () => {
  it.each(HANDLERS.map((behaviour) => [behaviour.name, behaviour] as const))('%s', (_name, behaviour) =>
    checkHandlerBehaviour(behaviour, sdk),
  );
});
