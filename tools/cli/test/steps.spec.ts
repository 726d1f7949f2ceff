import { commandsOf } from '../src/story/steps';

describe('the commands for the next steps of a story', () => {
  it('are quoted for a shell, and each is listed once', () => {
    const replay = { step: 'replay_delivery', partnerId: 'p 1', deliveryId: "d'1" } as const;
    expect(commandsOf([replay, replay])).toEqual([`npm run partner -- replay-delivery 'p 1' 'd'\\''1'`]);
  });

  it('query /livez of an app that does not answer', () => {
    expect(commandsOf([{ step: 'check_app', app: 'postback-dispatcher' }])).toEqual([
      'curl -i <postback-dispatcher>/livez',
    ]);
  });

  it('include a comment with the name of a step that only a newer release knows', () => {
    const unknown = { step: 'call_billing' } as unknown as Parameters<typeof commandsOf>[0][number];
    expect(commandsOf([unknown])).toEqual([expect.stringContaining('call_billing')]);
  });
});
