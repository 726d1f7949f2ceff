import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A test's result in the last run of its file by `npm test`. */
export interface TestResult {
  /** Relative to the repository's root, with `/`. */
  readonly file: string;
  /** The titles of the enclosing describes and of the test itself, joined by ` › `. */
  readonly title: string;
  /** False for a test that failed or was skipped. */
  readonly passed: boolean;
}

const RESULTS = '.tandem/test-results.json';

/** There are no test results in this checkout. */
export class NoTestResultsError extends Error {
  readonly code = 'no_test_results';

  constructor() {
    super(
      `there is no ${RESULTS}: run npm test first (afterwards, npm test -- <file> renews the results of that file)`,
    );
    this.name = 'NoTestResultsError';
  }
}

/** Returns the test results of each test file that still exists. @throws NoTestResultsError */
export function readTestResults(root: string): TestResult[] {
  const results = path.join(root, RESULTS);
  if (!existsSync(results)) throw new NoTestResultsError();
  const byFile = JSON.parse(readFileSync(results, 'utf8')) as Record<string, Omit<TestResult, 'file'>[]>;
  return Object.entries(byFile)
    .filter(([file]) => existsSync(path.join(root, file)))
    .flatMap(([file, tests]) => tests.map((test) => ({ file, ...test })));
}
