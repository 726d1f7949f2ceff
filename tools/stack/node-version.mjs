// Commands import this file first, so that a Node that is too old ends the command with a clear message.
const WANTED = [20, 19];
const parts = process.versions.node.split('.').map(Number);
if (parts[0] < WANTED[0] || (parts[0] === WANTED[0] && parts[1] < WANTED[1])) {
  console.error(
    'Tandem needs Node ' + WANTED.join('.') + ' or later; this is ' + process.version + ' (' + process.execPath + ').',
  );
  process.exit(1);
}
