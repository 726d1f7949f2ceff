import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** How a test ended when its file was last run by `npm test`. */
export interface TestResult {
  /** From the repository's root, with `/`. */
  readonly file: string;
  /** The titles of the describes around it, then its own, joined by ` › `. */
  readonly title: string;
  /** Skipped tests have not passed. */
  readonly passed: boolean;
}

const RESULTS = '.tandem/test-results.json';

/** No tests were run in this checkout. */
export class NoTestResultsError extends Error {
  readonly code = 'no_test_results';

  constructor() {
    super(
      `there is no ${RESULTS}: run npm test first (afterwards, npm test -- <file> renews the results of that file)`,
    );
    this.name = 'NoTestResultsError';
  }
}

/** The results of each file that is still there. @throws NoTestResultsError */
export function readTestResults(root: string): TestResult[] {
  const results = path.join(root, RESULTS);
  if (!existsSync(results)) throw new NoTestResultsError();
  const byFile = JSON.parse(readFileSync(results, 'utf8')) as Record<string, Omit<TestResult, 'file'>[]>;
  return Object.entries(byFile)
    .filter(([file]) => existsSync(path.join(root, file)))
    .flatMap(([file, tests]) => tests.map((test) => ({ file, ...test })));
}
