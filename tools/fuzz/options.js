/**
 * This file is plain JavaScript and uses no packages, because `npm run fuzz` reads its options before it installs or builds anything. options.d.ts
 * has the types.
 */
const { parseOptions } = require('../options/parse-options');

exports.USAGE = `npm run fuzz -- [options]

Starts a separate stack (the seven apps and the edge as separate processes, on a real Postgres) and sends hostile requests to it. Four tenths of the
requests are generated from the documents in docs/openapi, valid and invalid ones. Half of the requests are valid ones that are then changed: their
bodies, paths, headers, credentials or HTTP are broken. The rest belong to sequences that keep state, such as a token that is revoked while it is used.

The run fails when an answer is not documented (a changed request may also be refused in another way, such as with 413), is a 5xx, or is an error with
internal details of the program; up to 0.1 % may be a documented 503 or 504. It also fails when a request gets no answer and its connection is not
closed in time, and when a process ends, logs an error, keeps connections to Postgres open, or uses much more memory at the end.

  --requests N      the approximate number of requests (100000)
  --seed N          the same seed chooses the same requests, but with new ids (default: from the current time)
  --concurrency N   how many parts of the run, such as sequences, are executed at the same time (8)
  --only NAME       only requests for one operation, such as 'POST /admin/partners', or only one sequence
  --limit MS        how long an answer may take (5000); use a larger value on a machine that is busy with other work
  --help            shows this text

Exit codes: 0 without a finding, 1 with findings, 2 when the fuzzer could not run, 130 when the run was stopped by a signal.
`;

/** @param {string[]} argv @returns {import('./options').FuzzOptions | 'help'} */
exports.readOptions = (argv) => {
  const { values } = parseOptions({
    args: argv,
    options: {
      requests: { type: 'string', default: '100000' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      concurrency: { type: 'string', default: '8' },
      limit: { type: 'string', default: '5000' },
      only: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    requests: wholeNumber('requests', values.requests),
    seed: wholeNumber('seed', values.seed, 0),
    concurrency: wholeNumber('concurrency', values.concurrency),
    limitMs: wholeNumber('limit', values.limit),
    only: values.only,
  };
};

function wholeNumber(name, text, least = 1) {
  if (!/^(0|[1-9]\d{0,8})$/.test(text) || Number(text) < least)
    throw new TypeError(`--${name} must be a whole number from ${least} to 999999999, not ${text}`);
  return Number(text);
}
