import fs from 'node:fs';
import path from 'node:path';
import { inRoot, ROOT } from '../stack/paths.mjs';

/** The results of the last complete run of each test file: `{"<file>": [{"title", "passed"}]}`. `npm run conformance` reads them. */
const RESULTS = inRoot('.tandem/test-results.json');

/**
 * Counts the results in Jest's JSON report. A test file that could not be loaded counts as one failure.
 * @param {string} report path of the report
 * @returns {{ passed: number, failed: number, skipped: number }}
 */
export function countJest(report) {
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, numPendingTests, numTodoTests } = readJson(report);
  const failed = numFailedTests + numRuntimeErrorTestSuites;
  return { passed: numPassedTests, failed, skipped: numPendingTests + numTodoTests };
}

/**
 * Returns the files that have skipped tests, for example because a program that they need is not installed.
 * @param {string} report path of Jest's JSON report
 * @returns {string[]} paths from the repository's root, each once
 */
export function filesWithSkipped(report) {
  const files = readJson(report).testResults.filter(({ assertionResults }) =>
    assertionResults.some(({ status }) => status === 'pending' || status === 'todo'),
  );
  return files.map(({ name }) => relative(name)).sort();
}

/**
 * Stores the results of each file in the report, in place of older results, and drops files that no longer exist. All tests of these files
 * must have been run.
 * @param {string} report path of Jest's JSON report
 */
export function keepResults(report) {
  const results = fs.existsSync(RESULTS) ? readJson(RESULTS) : {};
  for (const { name, assertionResults } of readJson(report).testResults) {
    results[relative(name)] = assertionResults.map(({ ancestorTitles, title, status }) => ({
      title: [...ancestorTitles, title].join(' › '),
      passed: status === 'passed',
    }));
  }
  const existing = Object.entries(results).filter(([file]) => fs.existsSync(inRoot(file)));
  fs.mkdirSync(path.dirname(RESULTS), { recursive: true });
  fs.writeFileSync(RESULTS, JSON.stringify(Object.fromEntries(existing)));
}

const relative = (file) => path.relative(ROOT, file).split(path.sep).join('/');
const readJson = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));
