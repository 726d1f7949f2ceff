import { LISTEN_OPTIONS, runListen } from '@tandem/partner/listen';
import { addressOf } from '../public-api';
import { UsageError } from '../usage.errors';
import type { Commands } from './options';

const { token, 'base-url': baseUrl } = LISTEN_OPTIONS;
const HERE = 'default: the stack that npm start runs';

/** `tandem listen`: runs `tandem-partner listen` of the partner SDK, by default against the stack that runs here. */
export const listenCommand = (parser: Commands): Commands =>
  parser.command(
    'listen',
    'Forward the postbacks of test sales to a port of this machine, until Ctrl-C',
    (command) =>
      command.options({
        ...LISTEN_OPTIONS,
        token: { ...token, describe: `${token.describe}; ${HERE}` },
        'base-url': { ...baseUrl, describe: `${baseUrl.describe}; ${HERE}` },
      }),
    async (options) => {
      const stop = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
      const address = addressOf(options, 'TANDEM_TOKEN', ({ partners }) => partners.promotion.testToken);
      const values = { ...options, token: address.token, 'base-url': address.baseUrl };
      try {
        await runListen(values, { env: process.env, print: (line) => console.log(line), signal: stop.signal });
      } catch (error) {
        throw error instanceof TypeError ? new UsageError(error.message, { cause: error }) : error;
      }
    },
  );
