import fs from 'node:fs';
import path from 'node:path';
import { inRoot, ROOT } from './paths.mjs';

/** What the last run of each test file said: `{"<file>": [{"title", "passed"}]}`. `npm run conformance` reads it. */
const RESULTS = inRoot('.tandem/test-results.json');

/**
 * Counts the results of Jest's JSON report. A test file that could not be run at all counts as one failure.
 * @param {string} report path of the file
 * @returns {{ passed: number, failed: number, skipped: number }}
 */
export function countJest(report) {
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, numPendingTests, numTodoTests } = readJson(report);
  const failed = numFailedTests + numRuntimeErrorTestSuites;
  return { passed: numPassedTests, failed, skipped: numPendingTests + numTodoTests };
}

/**
 * Counts what test-reporter.mjs wrote.
 * @param {string} report path of the file
 * @returns {{ passed: number, failed: number, skipped: number }}
 */
export function countNode(report) {
  const tests = readLines(report);
  const skipped = tests.filter((test) => test.skipped).length;
  const passed = tests.filter((test) => test.passed && !test.skipped).length;
  return { passed, failed: tests.length - passed - skipped, skipped };
}

/**
 * The files that have skipped tests, for example because a program that they need is not here.
 * @param {string} jestReport path of Jest's JSON report
 * @param {string | undefined} nodeReport path of what test-reporter.mjs wrote
 * @returns {string[]} paths from the repository's root, each once
 */
export function filesWithSkipped(jestReport, nodeReport) {
  const ofJest = readJson(jestReport).testResults.filter(({ assertionResults }) =>
    assertionResults.some(({ status }) => status === 'pending' || status === 'todo'),
  );
  const ofNode = nodeReport === undefined ? [] : readLines(nodeReport).filter(({ skipped }) => skipped);
  return [...new Set([...ofJest.map(({ name }) => name), ...ofNode.map(({ file }) => file)].map(relative))].sort();
}

/**
 * Keeps the results of each file that was run whole, in place of older ones.
 * @param {string} jestReport path of Jest's JSON report
 * @param {string | undefined} nodeReport path of what test-reporter.mjs wrote
 */
export function keepResults(jestReport, nodeReport) {
  const results = fs.existsSync(RESULTS) ? readJson(RESULTS) : {};
  for (const { name, assertionResults } of readJson(jestReport).testResults) {
    results[relative(name)] = assertionResults.map(({ ancestorTitles, title, status }) => ({
      title: [...ancestorTitles, title].join(' › '),
      passed: status === 'passed',
    }));
  }
  const nodeTests = nodeReport === undefined ? [] : readLines(nodeReport);
  for (const { file } of nodeTests) {
    const own = nodeTests.filter((test) => test.file === file);
    results[relative(file)] = own.map(({ title, passed, skipped }) => ({ title, passed: passed && !skipped }));
  }
  const existing = Object.entries(results).filter(([file]) => fs.existsSync(inRoot(file)));
  fs.mkdirSync(path.dirname(RESULTS), { recursive: true });
  fs.writeFileSync(RESULTS, JSON.stringify(Object.fromEntries(existing)));
}

const relative = (file) => path.relative(ROOT, file).split(path.sep).join('/');
const readJson = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));
const readLines = (file) =>
  fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
