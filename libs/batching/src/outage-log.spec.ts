import { OutageLog } from './outage-log';

describe('OutageLog', () => {
  const lines: object[] = [];
  const write = (line: object): void => void lines.push(line);
  beforeEach(() => lines.splice(0));

  it('logs one line when an outage starts, and one line when it ends', () => {
    const outage = new OutageLog({ log: write, warn: write }, { failed: 'gone', recovered: 'is back' });
    outage.succeeded();
    for (let tries = 0; tries < 125; tries++) outage.failed({ reason: `try ${tries}` });
    outage.succeeded();
    outage.succeeded();
    expect(lines).toEqual([
      { msg: 'gone', reason: 'try 0' },
      { msg: 'is back', outageMs: expect.any(Number) },
    ]);
  });

  it('logs two lines for each further outage', () => {
    const outage = new OutageLog({ log: write, warn: write }, { failed: 'gone', recovered: 'is back' });
    for (let outages = 0; outages < 2; outages++) {
      outage.failed({});
      outage.succeeded();
    }
    expect(lines).toHaveLength(4);
  });
});
