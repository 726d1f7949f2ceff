import { Gathering } from './gathering';

/** Lets `items` items arrive, one every `everyMs`, and returns how long `gathering` then waits. */
function waitAfter(gathering: Gathering, everyMs: number, items: number, from = 0): number {
  for (let index = 0; index < items; index++) gathering.took(1, from + index * everyMs);
  return gathering.waitMs(from + items * everyMs);
}

describe('Gathering', () => {
  it('does not wait for the first item, or when items arrive at intervals of 20 ms', () => {
    expect(new Gathering().waitMs(0)).toBe(0);
    expect(waitAfter(new Gathering(), 20, 500)).toBe(0);
  });

  it('waits 5 ms when items arrive at intervals of 5 ms or less', () => {
    expect(waitAfter(new Gathering(), 5, 100)).toBe(5);
    expect(waitAfter(new Gathering(), 1, 100)).toBe(5);
  });

  it('computes the arrival rate from items, not from batches', () => {
    const gathering = new Gathering();
    for (let index = 0; index < 100; index++) gathering.took(4, index * 15);
    expect(gathering.waitMs(100 * 15)).toBe(5);
  });

  it('does not wait after a pause, however many items arrived before', () => {
    const gathering = new Gathering();
    waitAfter(gathering, 1, 500);
    expect(gathering.waitMs(500 + 1_000)).toBe(0);
  });
});
