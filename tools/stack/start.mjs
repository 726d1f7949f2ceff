// The first file of `npm start`. Any version of Node must be able to read it, so that an old one gets a clear message.
import './node-version.mjs';

const { main } = await import('./start-stack.mjs');
process.exitCode = await main(process.argv.slice(2));
