import { parseArgs } from 'node:util';
import { PORTS } from './ports.mjs';
import { APPS } from '../../apps/apps.js';

const USAGE = `npm start [-- options]
npm run dev [-- APP … options]   the same, and the apps (all, or those that are named) start again when their sources are edited

Installs and builds what is needed, starts Postgres, the apps, the edge and the sandbox, and stays up until Ctrl-C.
The data is kept in .tandem; a later start goes on with it.

  --bus NAME    postgres (default) or kafka: KAFKA_BROKERS, else a broker of its own (Java 17 and, the first time, mvn)
  --restart     never gives up a program that crashes; by default after 5 crashes in 30 s
  --inspect     with npm run dev and one app: opens its debugger at INSPECT_PORT (9229)
  --without APP leaves an app out, for one that an IDE starts with .tandem/env/APP.env; may be given more than once
  --data-of DIR migrates and seeds with the build in another checkout: the data is that of its version
  --verbose     shows every log line; they are always in .tandem/logs
  --help

Ports, each changed by its variable (0 takes a free one):
${Object.values(PORTS)
  .map(([variable, port]) => `  ${variable} ${port}`)
  .join('\n')}
TANDEM_POSTGRES_URL uses a Postgres of your own (a superuser's URL). Every other variable reaches the apps:
POSTBACK_RETRY_SCHEDULE_SECONDS=0,1,2 npm start. All are in .env.example; a file .env is read.
`;

/**
 * @typedef {object} StartOptions
 * @property {'kafka' | 'postgres'} bus
 * @property {boolean} restart
 * @property {boolean} inspect
 * @property {boolean} verbose
 * @property {string} [data-of]  the checkout whose build migrates and seeds; this one when left out
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
    const { values, positionals } = parseArgs({
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
