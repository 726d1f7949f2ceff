// The first file of `npm start`: it must be readable by any Node, so that an old one gets a clear message.
import './node-version.mjs';

const { main } = await import('./start-stack.mjs');
process.exitCode = await main(process.argv.slice(2));
