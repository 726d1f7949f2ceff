import { parseOptions } from '../options/parse-options.js';
import { PORTS } from './ports.mjs';
import { APPS } from '../../apps/apps.js';

const USAGE = `npm start [-- options]
npm run dev [-- APP … options]   the same, and restarts the apps (all, or the named ones) when their sources are edited

Installs and builds what is needed, starts Postgres, the apps, the edge and the sandbox, and runs until Ctrl-C.
The data stays in .tandem, and the next start uses it again.

  --bus NAME    postgres (default) or kafka. Without KAFKA_BROKERS, kafka starts a broker (needs Java 17, and mvn the first time)
  --restart     restarts a program after every crash; by default, everything stops when it crashes 6 times in 30 s. In both cases,
                everything stops when a program refuses its configuration (exit code 78)
  --inspect     with npm run dev and one app: opens its debugger at INSPECT_PORT (9229)
  --without APP does not start an app, so that an IDE can start it with .tandem/env/APP.env; may be given more than once
  --data-of DIR migrates and seeds with the build of another checkout, so that the data is that of its version
  --verbose     prints every log line; all lines are always in .tandem/logs
  --help

Ports, with the variable that changes each (0 takes a free port):
${Object.values(PORTS)
  .map(([variable, port]) => `  ${variable} ${port}`)
  .join('\n')}
TANDEM_POSTGRES_URL (a superuser's URL) uses your own Postgres. All other variables are passed to the apps, for example
POSTBACK_RETRY_SCHEDULE_SECONDS=0,1,2 npm start. .env.example lists all variables; the file .env is read.
`;

/**
 * @typedef {object} StartOptions
 * @property {'kafka' | 'postgres'} bus
 * @property {boolean} restart
 * @property {boolean} inspect
 * @property {boolean} verbose
 * @property {string} [data-of]  the checkout whose build migrates and seeds. Default: this checkout
 * @property {string[]} running  the apps to start
 * @property {string[]} watched  the apps to restart after an edit
 */

/**
 * Reads the arguments of `npm start` and `npm run dev`.
 * @param {string[]} argv
 * @returns {StartOptions | number} the options, or an exit code when there is nothing to start
 */
export function readOptions(argv) {
  try {
    const { values, positionals } = parseOptions({
      args: argv,
      allowPositionals: true,
      options: {
        bus: { type: 'string', default: process.env.EVENT_BUS || 'postgres' },
        restart: { type: 'boolean', default: false },
        watch: { type: 'boolean', default: false },
        inspect: { type: 'boolean', default: false },
        without: { type: 'string', multiple: true, default: [] },
        'data-of': { type: 'string' },
        verbose: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return (console.log(USAGE), 0);
    return check({ ...values, named: positionals });
  } catch (error) {
    console.error(`${error.message}\n\n${USAGE}`);
    return 2;
  }
}

/** @param {any} given @returns {StartOptions} */
function check({ named, ...options }) {
  if (options.bus !== 'kafka' && options.bus !== 'postgres') {
    throw new Error(`--bus must be kafka or postgres, not "${options.bus}"`);
  }
  const names = APPS.map(({ name }) => name);
  const unknown = [...named, ...options.without].find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`there is no app "${unknown}"; the apps are ${names.join(', ')}`);
  if (named.length > 0 && !options.watch) throw new Error('only npm run dev takes the names of apps');
  const twice = named.find((name) => options.without.includes(name));
  if (twice !== undefined) throw new Error(`${twice} cannot be watched and left out`);
  if (options.inspect && named.length !== 1) throw new Error('--inspect needs npm run dev and the name of one app');
  const running = names.filter((name) => !options.without.includes(name));
  const watched = options.watch ? running.filter((name) => named.length === 0 || named.includes(name)) : [];
  return { ...options, running, watched };
}
