import type { Rule, Section } from './rules/rule';
import { SEPARATOR, type TestTitle } from './test-titles';

/** A rule with the tests that its references name. */
export interface JudgedRule extends Rule {
  readonly proofs: readonly TestTitle[];
}

export interface JudgedSection {
  readonly title: string;
  readonly rules: readonly JudgedRule[];
}

export interface Judgement {
  readonly sections: readonly JudgedSection[];
  /** Why the rules are not proven, one line each. */
  readonly problems: readonly string[];
  /** Pending rules that have proofs: somebody forgot to switch them on. */
  readonly ready: readonly JudgedRule[];
}

/** Looks up the tests of each rule. */
export function judge(sections: readonly Section[], tests: readonly TestTitle[]): Judgement {
  const problems = repeatedIds(sections);
  const judged = sections.map(({ title, rules }) => ({
    title,
    rules: rules.map((rule) => {
      const proofs = proofsOf(rule, tests, problems);
      if (proofs.length === 0 && rule.pending === undefined) problems.push(`${rule.id}: no test proves it`);
      return { ...rule, proofs };
    }),
  }));
  const ready = judged
    .flatMap(({ rules }) => rules)
    .filter((rule) => rule.pending !== undefined && rule.proofs.length > 0);
  return { sections: judged, problems, ready };
}

function repeatedIds(sections: readonly Section[]): string[] {
  const ids = sections.flatMap(({ rules }) => rules.map(({ id }) => id));
  return ids.filter((id, index) => ids.indexOf(id) < index).map((id) => `${id}: two rules have this id`);
}

function proofsOf(rule: Rule, tests: readonly TestTitle[], problems: string[]): TestTitle[] {
  const proofs = rule.tests.flatMap((reference) => {
    const found = findTests(reference, tests);
    const files = new Set(found.map(({ file }) => file));
    if (found.length === 0) problems.push(`${rule.id}: there is no test "${reference}"`);
    else if (files.size > 1) problems.push(`${rule.id}: "${reference}" is in ${[...files].join(' and ')}`);
    else if (found.every(({ skipped }) => skipped)) problems.push(`${rule.id}: "${reference}" is skipped`);
    return found.filter(({ skipped }) => !skipped);
  });
  return [...new Set(proofs)];
}

/** The tests that a reference of a rule names, in the form of {@link Rule.tests}. */
export function findTests(reference: string, tests: readonly TestTitle[]): TestTitle[] {
  const [file = '', ...levels] = reference.split(SEPARATOR);
  const title = new RegExp(`^${levels.map(patternOf).join(SEPARATOR)}$`, 'u');
  return tests.filter((test) => `/${test.file}`.endsWith(`/${file}`) && title.test(test.title));
}

/** A wildcard ends with its level. */
const patternOf = (level: string): string =>
  level
    .split('*')
    .map((text) => text.replace(/[\\^$.|?+()[\]{}/]/g, '\\$&'))
    .join('[^›]*');
