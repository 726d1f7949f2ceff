import { Tally } from '../hostile/findings';
import { durationNote } from './report';

describe('the note about durations', () => {
  const tally = new Tally();
  tally.count('documents', [200], 5_740);

  it('says that a duration above the limit is not a finding by itself', () => {
    expect(durationNote(tally, { limitMs: 5_000 })).toMatch(/^longest ms: also counts .* stood still/);
  });

  it('is empty while all durations are below the limit', () => {
    expect(durationNote(tally, { limitMs: 6_000 })).toBe('');
  });
});
