import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import * as prettier from 'prettier';
import { judge, type Judgement, unprovenProblem } from './conformance';
import { DOCUMENT, renderDocument } from './document';
import { SECTIONS } from './rules';
import { readTestResults } from './test-results';

const USAGE = `npm run conformance -- [--check]

Writes ${DOCUMENT}: each rule of the APIs (tools/conformance/src/rules) with the files whose tests prove it, according to the
results of the last npm test. Writes nothing and fails when a rule that is not pending has no test, or a test that has not
passed.

  --check    writes nothing; fails also when the document is out of date
  --help
`;

/** How many rules without a test result are listed. More of them mean that `npm test` has not run completely. */
const MOST_SHOWN = 20;

const ROOT = path.resolve(__dirname, '../../..');

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { check: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
  });
  if (values.help) return (console.log(USAGE), 0);
  const judgement = judge(SECTIONS, readTestResults(ROOT));
  const file = path.join(ROOT, DOCUMENT);
  const options = (await prettier.resolveConfig(file)) ?? {};
  const document = await prettier.format(renderDocument(judgement.sections), { ...options, parser: 'markdown' });
  const problems = [...judgement.problems];
  // The page is written only when there are no problems, so that it never lists a rule as proven without a passing test.
  if (!values.check && problems.length === 0) writeFileSync(file, document);
  else if (values.check && (!existsSync(file) || readFileSync(file, 'utf8') !== document)) {
    problems.push(`${DOCUMENT} is out of date: run npm run conformance`);
  }
  return report(judgement, problems);
}

function report({ sections, ready, unproven }: Judgement, problems: readonly string[]): number {
  const rules = sections.flatMap((section) => section.rules);
  const pending = rules.filter((rule) => rule.pending !== undefined);
  if (pending.length > 0) console.log(`PENDING, NOT PROVEN (${pending.length} of ${rules.length} rules):`);
  for (const { id, pending: reason } of pending) console.log(`  ${id}: ${reason}`);
  for (const { id } of ready) console.log(`${id} has passing tests: activate it with rule() in place of pendingRule()`);
  const hidden = new Set(unproven.length > MOST_SHOWN ? unproven.map(({ id }) => unprovenProblem(id)) : []);
  for (const problem of problems.filter((one) => !hidden.has(one))) console.error(problem);
  if (unproven.length > 0)
    console.error(
      `There is no test result for ${unproven.length} of ${rules.length} rules. Unless npm test has run completely in this checkout, run it first: npm test -- FILE renews the results of that file only`,
    );
  if (problems.length > 0) console.error(`${DOCUMENT} was not changed`);
  const held = rules.filter((rule) => rule.pending === undefined && rule.files.length > 0);
  console.log(`conformance: ${held.length} rules hold, ${pending.length} pending, ${problems.length} problems`);
  return problems.length === 0 ? 0 : 1;
}

main().then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  },
);
