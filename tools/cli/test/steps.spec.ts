import { existsSync } from 'node:fs';
import { inRepository } from '@tandem/stack-client';
import { commandsOf } from '../src/story/steps';

const elsewhere = (): undefined => undefined;
const here = (app: string): string => `http://${app}.test`;

describe('the commands for the next steps of a story', () => {
  it('are quoted for a shell, and each is listed once', () => {
    const replay = { step: 'replay_delivery', partnerId: 'p 1', deliveryId: "d'1" } as const;
    expect(commandsOf([replay, replay], elsewhere)).toEqual([`npm run partner -- replay-delivery 'p 1' 'd'\\''1'`]);
  });

  it('query the app by its URL if the stack runs on this machine, and otherwise name the page that says how to check it', () => {
    const steps = [{ step: 'check_app', app: 'postback-dispatcher' }, { step: 'read_vendor_metrics' }] as const;
    expect(commandsOf(steps, here)).toEqual([
      'curl -i --max-time 5 http://postback-dispatcher.test/readyz',
      'curl -s http://idp-api.test/metrics | grep vendor_request_duration_seconds_count',
    ]);
    const texts = commandsOf(steps, elsewhere);
    expect(texts).toEqual([
      '# check whether postback-dispatcher runs: see docs/operations/app-down.md',
      '# read the metrics of idp-api: see docs/operations/vendor-failing.md',
    ]);
    for (const [, file = ''] of texts.map((text) => /see (\S+)$/.exec(text) ?? [])) {
      expect(existsSync(inRepository(file))).toBe(true);
    }
  });

  it('read the logs of the stack on this machine, and otherwise only say what to search for', () => {
    const steps = [
      { step: 'read_logs', oid: 'order 7' },
      { step: 'read_logs', krn: 'krn:tandem:dev:user:a' },
    ] as const;
    expect(commandsOf(steps, here)).toEqual([
      "npm run logs -- --oid 'order 7'",
      'npm run logs -- --krn krn:tandem:dev:user:a',
    ]);
    expect(commandsOf(steps, elsewhere)).toEqual([
      "# search the logs of all apps for 'order 7'",
      '# search the logs of all apps for krn:tandem:dev:user:a',
    ]);
  });

  it('include a comment with the name of a step that only a newer release knows', () => {
    const unknown = { step: 'call_billing' } as unknown as Parameters<typeof commandsOf>[0][number];
    expect(commandsOf([unknown], elsewhere)).toEqual([expect.stringContaining('call_billing')]);
  });
});
