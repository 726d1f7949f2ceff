import fs from 'node:fs';
import { inRoot } from '../stack/paths.mjs';

const RULES = 'apps/idp-api/src/user-story';
const TEXTS = 'apps/console/src/texts/answers.ts';

const namesIn = (source, pattern) => [...new Set([...source.matchAll(pattern)].map(([, name]) => name))].sort();
const rulesIn = (name) => fs.readFileSync(inRoot(RULES, name), 'utf8');

/** Returns the verdicts that idp-api gives, by question. */
function verdicts() {
  const rules = rulesIn('user-story.rules.ts');
  const [locked = ''] = /^function lockedAnswer[^]*?^}$/m.exec(rules) ?? [];
  const shared = rulesIn('user-answer.ts');
  const sources = {
    locked,
    enrolled: rules.replace(locked, '') + shared,
    alerts: rulesIn('alerts-answer.rules.ts') + shared,
  };
  return Object.entries(sources).map(([question, source]) => [question, namesIn(source, /verdict: '(\w+)'/g)]);
}

/** Returns the verdicts that the console explains, by question. */
function explained() {
  const [, answers = ''] = fs.readFileSync(inRoot(TEXTS), 'utf8').split(/^ {2}answers: \{$/m);
  const questions = answers.matchAll(/^ {4}(\w+): \{$([^]*?)^ {4}\}/gm);
  return [...questions].map(([, question, source]) => [question, namesIn(source, /^ {6}(\w+): /gm)]);
}

describe('the answers about a user in the console', () => {
  it('explain, for each question, every verdict of idp-api, and no other', () => {
    for (const [, names] of verdicts()) expect(names.length).toBeGreaterThan(2);
    expect(explained()).toEqual(verdicts());
  });

  it('begin with yes or no, or state that neither is certain', () => {
    const states = namesIn(fs.readFileSync(inRoot(TEXTS), 'utf8'), /state:\s*'([^']+)/g);
    expect(states.length).toBeGreaterThan(20);
    expect(states.filter((state) => !/^(Yes|No|Not certain)\b/.test(state))).toEqual([]);
  });
});
