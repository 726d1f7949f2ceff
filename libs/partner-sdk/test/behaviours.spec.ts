import * as sdk from '../src';
import { BEHAVIOURS, HANDLERS } from './behaviours';
import { checkBehaviour, checkHandlerBehaviour } from './check-behaviour';

describe('the client in TypeScript', () => {
  it.each(BEHAVIOURS.map((behaviour) => [behaviour.name, behaviour] as const))('%s', async (_name, behaviour) => {
    await checkBehaviour(behaviour, sdk);
  });
});

describe('the endpoint in TypeScript', () => {
  it.each(HANDLERS.map((behaviour) => [behaviour.name, behaviour] as const))('%s', async (_name, behaviour) => {
    await checkHandlerBehaviour(behaviour, sdk);
  });
});
