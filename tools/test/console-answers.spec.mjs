import fs from 'node:fs';
import { inRoot } from '../stack/paths.mjs';

const RULES = 'apps/idp-api/src/user-story';
const TEXTS = 'apps/console/src/texts/answers.ts';

const namesIn = (source, pattern) => [...new Set([...source.matchAll(pattern)].map(([, name]) => name))].sort();

describe('the answers about a user in the console', () => {
  it('explain every verdict of idp-api, and no other', () => {
    const rules = fs.readdirSync(inRoot(RULES)).map((name) => fs.readFileSync(inRoot(RULES, name), 'utf8'));
    const verdicts = namesIn(rules.join('\n'), /verdict: '(\w+)'/g);
    const [, answers = ''] = fs.readFileSync(inRoot(TEXTS), 'utf8').split(/^ {2}answers: \{$/m);
    expect(verdicts.length).toBeGreaterThan(10);
    expect(namesIn(answers, /^ {6}(\w+): /gm)).toEqual(verdicts);
  });
});
