// The first file of `npm start`. It uses only syntax that Node 14.8 understands, so that an old Node can print a clear message.
import './node-version.mjs';

const { main } = await import('./start-stack.mjs');
process.exitCode = await main(process.argv.slice(2));
