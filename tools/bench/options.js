/**
 * This file is plain JavaScript and uses no packages, because `npm run bench` reads its options before it installs or builds anything. options.d.ts
 * has the types.
 */
const { parseOptions } = require('../options/parse-options');

const flood = (letter, bus) => ({ letter, title: `flood of the whole chain on ${bus}`, rounds: 3 });
const paced = (letter, bus, perSecond) => ({
  letter,
  title: `the whole chain at ${perSecond} sales a second on ${bus}`,
  rounds: 3,
});

/** @type {Readonly<Record<string, readonly import('./options').Part[]>>} */
const SUITES = {
  chain: [
    flood('p1', 'postgres'),
    paced('p2', 'postgres', 50),
    paced('p3', 'postgres', 200),
    flood('k1', 'kafka'),
    paced('k2', 'kafka', 50),
  ],
  scale: [{ letter: 's', title: 'the chain in a small database and in a large one', rounds: 3 }],
  delivery: [
    { letter: 'a', title: '20,000 deliveries over 20 endpoints', rounds: 3 },
    { letter: 'b', title: 'row to arrival at steady rates', rounds: 3 },
    { letter: 'd', title: 'isolation: one endpoint of 100 hangs', rounds: 1 },
    { letter: 'e', title: 'isolation: large backlogs of one endpoint of 100', rounds: 1 },
    { letter: 'f', title: 'backlogs of 5,000 endpoints', rounds: 1 },
  ],
  partner: [
    { letter: '1', title: 'creation of 500 codes compared with one raw insert', rounds: 4 },
    { letter: '2', title: 'pages of few and of very many codes', rounds: 2 },
    { letter: '3', title: 'pages through the gateway compared with a bare handler', rounds: 7 },
    { letter: '4', title: 'create-checkout-url compared with a bare handler', rounds: 7 },
  ],
  identity: [
    { letter: '1', title: 'the dashboard compared with a bare handler, a vendor of 20 ms', rounds: 5 },
    { letter: '2', title: 'alerts compared with a bare handler, a vendor of 20 ms', rounds: 5 },
    { letter: '3', title: 'the profile compared with a bare handler', rounds: 5 },
    { letter: '4', title: 'dashboards on 50 connections while a route of the vendor hangs', rounds: 1 },
  ],
  ingest: [
    { letter: '1', title: 'purchases compared with a bare handler with one insert', rounds: 5 },
    { letter: '2', title: 'pushed alerts compared with a bare handler with one insert', rounds: 5 },
  ],
  discovery: [
    { letter: '1', title: 'the list of locations compared with a bare handler', rounds: 7 },
    { letter: '2', title: '304 for locations compared with a bare handler', rounds: 7 },
    { letter: '3', title: 'changes of the catalog on two replicas', rounds: 1 },
  ],
  console: [{ letter: '1', title: 'the first screen in a browser with a slow connection', rounds: 5 }],
};

/** The options of each suite in addition to --only and --rounds. */
const OWN_OPTIONS = {
  chain: ['sales', 'profile'],
  scale: ['rows', 'sales'],
  partner: ['codes'],
  identity: ['profile'],
  ingest: ['profile'],
  discovery: ['profile'],
};

exports.USAGE = `usage: npm run bench -- SUITE [--only PARTS] [--rounds N]
  chain     sales from the signed webhook to the postback, with the CPU time of each process
            [--sales N]: sales in a flood (10000); [--profile DIR]: writes a CPU profile of each app during one more run
  scale     the chain, clean-up, measurements and pages in a large database, compared with one of 10,000 sales (10,000 partners each)
            [--rows N]: sales, deliveries and inbox rows of the large database (10000000); [--sales N]: sales in a flood
  delivery  postback-dispatcher alone: throughput compared with a bare loop, latency, and isolation between endpoints
  partner   vouchers and checkout URLs, compared with a raw insert, with a small table and with a bare handler
            [--codes N]: codes in the large table (10000000)
  identity  dashboard, alerts and profile, compared with a bare handler, and dashboards while a route of the vendor hangs
            [--profile DIR]: writes a CPU profile of idp-api
  ingest    the intake of webhooks, compared with a bare handler with one insert; [--profile DIR]: writes a CPU profile of webhook-ingest
  discovery the list of locations compared with a bare handler, and how fast replicas follow changes; [--profile DIR]: writes a CPU profile of discovery
  console   how long a browser with a slow connection and processor takes to show the first screen of the console and of the documentation

parts:
${Object.entries(SUITES)
  .flatMap(([suite, parts]) => parts.map(({ letter, title }) => `  ${suite} ${letter}  ${title}`))
  .join('\n')}
`;

/** @param {string[]} argv @returns {import('./options').BenchOptions | 'help'} */
exports.readOptions = ([suite, ...args]) => {
  const names = Object.keys(SUITES).join(', ');
  if (suite === undefined) throw new TypeError(`name a suite: ${names}`);
  if (suite === '--help' || suite === '-h') return 'help';
  if (!Object.hasOwn(SUITES, suite)) throw new TypeError(`the first argument is a suite (${names}), not "${suite}"`);
  const { only, rounds, help, ...own } = parseOptions({
    args,
    options: {
      only: { type: 'string' },
      rounds: { type: 'string' },
      codes: { type: 'string' },
      rows: { type: 'string' },
      sales: { type: 'string' },
      profile: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  }).values;
  if (help) return 'help';
  const other = Object.keys(own).find((name) => !OWN_OPTIONS[suite]?.includes(name));
  if (other !== undefined) throw new TypeError(`--${other} has no effect in the suite ${suite}`);
  return {
    suite,
    parts: partsOf(SUITES[suite], only),
    rounds: rounds === undefined ? null : count('rounds', rounds),
    settings: {
      codes: count('codes', own.codes ?? '10000000'),
      rows: count('rows', own.rows ?? '10000000'),
      sales: count('sales', own.sales ?? '10000'),
      profile: own.profile ?? null,
    },
  };
};

/**
 * Returns the parts of a suite to measure.
 * @param {readonly import('./options').Part[]} parts
 * @param {string | undefined} only  the letters of the wanted parts, with or without commas between them; if omitted, all parts
 */
function partsOf(parts, only) {
  if (only === undefined) return parts;
  const letters = parts.map(({ letter }) => letter);
  const letter = `(?:${letters.join('|')})`;
  if (!new RegExp(`^${letter}(?:,?${letter})*$`).test(only))
    throw new TypeError(`--only names parts of the suite (${letters.join(', ')}), not "${only}"`);
  return parts.filter((part) => only.includes(part.letter));
}

function count(name, text) {
  if (!/^[1-9]\d{0,7}$/.test(text)) throw new TypeError(`--${name} is a whole number from 1 to 99999999, not ${text}`);
  return Number(text);
}
