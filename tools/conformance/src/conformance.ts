import type { Rule, Section } from './rules/rule';
import type { TestResult } from './test-results';

/** A rule, and the files with the tests that prove the rule. */
export interface JudgedRule extends Rule {
  /** Paths relative to the repository's root, sorted. Empty when the rule has no test, or when one of its tests has not passed. */
  readonly files: readonly string[];
}

export interface JudgedSection {
  readonly title: string;
  readonly rules: readonly JudgedRule[];
}

export interface Judgement {
  readonly sections: readonly JudgedSection[];
  /** Texts about duplicate ids, unknown ids in titles, and rules in force that are not proven. */
  readonly problems: readonly string[];
  /** Rules in force for which there is no test result. */
  readonly unproven: readonly JudgedRule[];
  /** Pending rules with passing tests, which can be activated. */
  readonly ready: readonly JudgedRule[];
}

/** Matches the ids of rules at the end of a test's title: `makes 10 codes [vouchers.create, vouchers.count-above-500]`. */
const IDS = /\[([a-z][a-z0-9-]*\.[a-z0-9-]+(?:, [a-z][a-z0-9-]*\.[a-z0-9-]+)*)\]$/;

/** Returns the ids of the rules that a test proves. */
export const idsOf = (title: string): string[] => IDS.exec(title)?.[1]?.split(', ') ?? [];

/** Returns the problem of a rule in force for which there is no test result. */
export const unprovenProblem = (id: string): string => `${id}: no test proves it`;

/** Finds the tests of each rule. A rule holds when at least one test names its id, and every such test has passed. */
export function judge(sections: readonly Section[], results: readonly TestResult[]): Judgement {
  const known = sections.flatMap(({ rules }) => rules.map(({ id }) => id));
  const byId = new Map<string, TestResult[]>(known.map((id) => [id, []]));
  const problems = known.filter((id, index) => known.indexOf(id) < index).map((id) => `${id}: two rules have this id`);
  for (const result of results)
    for (const id of idsOf(result.title)) {
      if (byId.has(id)) byId.get(id)?.push(result);
      else problems.push(`${id}: no such rule, but ${nameOf(result)} names it`);
    }
  const judged = sections.map(({ title, rules }) => ({
    title,
    rules: rules.map((rule) => judgeRule(rule, byId.get(rule.id) ?? [], problems)),
  }));
  const ready = judged
    .flatMap(({ rules }) => rules)
    .filter(({ pending, files }) => pending !== undefined && files.length > 0);
  const unproven = judged
    .flatMap(({ rules }) => rules)
    .filter(({ id, pending }) => pending === undefined && byId.get(id)?.length === 0);
  return { sections: judged, problems, ready, unproven };
}

function judgeRule(rule: Rule, tests: readonly TestResult[], problems: string[]): JudgedRule {
  const failed = tests.filter(({ passed }) => !passed);
  if (rule.pending === undefined) {
    if (tests.length === 0) problems.push(unprovenProblem(rule.id));
    problems.push(...failed.map((test) => `${rule.id}: ${nameOf(test)} has not passed`));
  }
  return { ...rule, files: failed.length > 0 ? [] : [...new Set(tests.map(({ file }) => file))].sort() };
}

const nameOf = ({ file, title }: TestResult): string => `"${title}" in ${file}`;
