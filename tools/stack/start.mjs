// The first file of `npm start`. Node 14.8 and later can read it, so that a Node that is too old gets a clear message.
import './node-version.mjs';

const { main } = await import('./start-stack.mjs');
process.exitCode = await main(process.argv.slice(2));
