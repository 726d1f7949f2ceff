import fs from 'node:fs';
import { parseDocument } from 'yaml';
import { inRoot, readJson } from '../stack/paths.mjs';

const FOLDER = inRoot('.github/workflows');
const ACTION_WITH_VERSION = /^[\w-]+\/[\w-]+@(v\d+\.\d+\.\d+|[0-9a-f]{40})$/;

/** @param {string} file @returns {{ problems: string[], workflow: any, steps: any[], content: string }} */
function read(file) {
  const content = fs.readFileSync(`${FOLDER}/${file}`, 'utf8');
  const document = parseDocument(content, { uniqueKeys: true });
  const workflow = document.toJS();
  const problems = [...document.errors, ...document.warnings].map(({ message }) => message);
  return { problems, workflow, content, steps: jobsOf(workflow).flatMap(({ steps }) => steps) };
}

const jobsOf = (workflow) => /** @type {any[]} */ (Object.values(workflow.jobs));

/** Returns the scripts of package.json that a step runs with `npm run`. */
const scriptsOf = ({ run = '' }) => [...run.matchAll(/npm run ([a-z:-]+)/g)].map(([, script]) => script);

describe('the workflows', () => {
  for (const file of fs.readdirSync(FOLDER)) {
    describe(file, () => {
      const { problems, workflow, steps, content } = read(file);

      it('is valid YAML whose jobs have a machine and steps, and each step either uses an action or runs a command', () => {
        expect(problems).toEqual([]);
        for (const job of jobsOf(workflow)) expect(job['runs-on'] && job.steps.length > 0).toBeTruthy();
        expect(steps.filter(({ uses, run }) => (uses === undefined) === (run === undefined))).toEqual([]);
      });

      it('may only read the contents, and leaves no token in the checkout', () => {
        expect(workflow.permissions).toEqual({ contents: 'read' });
        expect(jobsOf(workflow).every(({ permissions }) => permissions === undefined)).toBeTruthy();
        const checkouts = steps.filter(({ uses = '' }) => uses.startsWith('actions/checkout@'));
        expect(checkouts.every((step) => step.with['persist-credentials'] === false)).toBeTruthy();
      });

      it('uses each action in an exact version or commit', () => {
        const loose = steps.filter(({ uses }) => uses !== undefined && !ACTION_WITH_VERSION.test(uses));
        expect(loose).toEqual([]);
      });

      it('runs only scripts that exist', () => {
        const { scripts } = readJson(inRoot('package.json'));
        expect(steps.flatMap(scriptsOf).filter((script) => !(script in scripts))).toEqual([]);
      });

      it('has no expression in a command and no pull_request_target, because contributors could misuse them', () => {
        expect(steps.filter(({ run = '' }) => run.includes('${{'))).toEqual([]);
        expect(content).not.toMatch(/pull_request_target/);
      });

      it('has a time limit for each job', () => {
        expect(jobsOf(workflow).every((job) => job['timeout-minutes'] > 0)).toBeTruthy();
      });
    });
  }

  it('run all tests on the oldest supported version of Node, and on Node 22 and 24', () => {
    const { workflow } = read('ci.yml');
    expect(workflow.jobs.whole.strategy.matrix.node).toEqual(['20.19', '22', '24']);
    expect(readJson(inRoot('package.json')).engines.node).toBe('>=20.19');
  });
});
