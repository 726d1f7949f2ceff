import assert from 'node:assert/strict';
import fs from 'node:fs';
import { describe, it } from 'node:test';
import { parseDocument } from 'yaml';
import { inRoot, readJson } from '../start/paths.mjs';

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

/** The scripts of package.json that a step runs by `npm run`. */
const scriptsOf = ({ run = '' }) => [...run.matchAll(/npm run ([a-z:]+)/g)].map(([, script]) => script);

describe('the workflows', () => {
  for (const file of fs.readdirSync(FOLDER)) {
    describe(file, () => {
      const { problems, workflow, steps, content } = read(file);

      it('is YAML whose jobs have a machine and steps, each of which takes an action or runs a command', () => {
        assert.deepEqual(problems, []);
        for (const job of jobsOf(workflow)) assert.ok(job['runs-on'] && job.steps.length > 0);
        assert.deepEqual(
          steps.filter(({ uses, run }) => (uses === undefined) === (run === undefined)),
          [],
        );
      });

      it('has no permission but to read the contents, and leaves no token in the checkout', () => {
        assert.deepEqual(workflow.permissions, { contents: 'read' });
        assert.ok(jobsOf(workflow).every(({ permissions }) => permissions === undefined));
        const checkouts = steps.filter(({ uses = '' }) => uses.startsWith('actions/checkout@'));
        assert.ok(checkouts.every((step) => step.with['persist-credentials'] === false));
      });

      it('takes actions by an exact version', () => {
        const loose = steps.filter(({ uses }) => uses !== undefined && !ACTION_WITH_VERSION.test(uses));
        assert.deepEqual(loose, []);
      });

      it('runs scripts that there are', () => {
        const { scripts } = readJson(inRoot('package.json'));
        assert.deepEqual(
          steps.flatMap(scriptsOf).filter((script) => !(script in scripts)),
          [],
        );
      });

      it('puts nothing that a contributor writes into a command', () => {
        assert.deepEqual(
          steps.filter(({ run = '' }) => run.includes('${{')),
          [],
        );
        assert.doesNotMatch(content, /pull_request_target/);
      });

      it('has a time limit for each job', () => {
        assert.ok(jobsOf(workflow).every((job) => job['timeout-minutes'] > 0));
      });
    });
  }

  it('run everything on the oldest version of Node that is supported, and on the two after it', () => {
    const { workflow } = read('ci.yml');
    assert.deepEqual(workflow.jobs.whole.strategy.matrix.node, ['20.19', '22', '24']);
    assert.equal(readJson(inRoot('package.json')).engines.node, '>=20.19');
  });
});
