import { spawnSync } from 'node:child_process';
import { APPS } from '../../apps/apps.js';
import { inRoot } from '../stack/paths.mjs';
import { appendToList, IMPORT, insertAfterLast } from './files.mjs';
import { constant, pascal, topicParts, UsageError } from './names.mjs';

const TOPOLOGY = 'libs/contracts/src/events/topology.ts';

/**
 * Writes an event: its class, its row in the topology, and a sample. The schema, the AsyncAPI document, the checksum and the line
 * in the publisher's README are generated from these.
 *
 * @param {import('./files.mjs').Changes} changes
 * @param {{ topic?: string, app?: string }} wanted topic: like `parcel.created`; app: the publisher
 */
export async function addEvent(changes, { topic, app }) {
  const parts = topicParts(topic);
  if (!APPS.some(({ name }) => name === app)) throw new UsageError(`there is no app "${app ?? ''}"`);
  const names = { topic, app, Event: pascal(topic), EVENT: constant(topic) };
  const module = parts.join('-');
  await changes.create(`libs/contracts/src/events/${module}.ts`, changes.text('event/class.ts', names));
  await changes.create(`libs/contracts/samples/${topic}.json`, changes.text('event/sample.json', names));
  const [entity, happened] = parts.map((part) => part.replaceAll('-', ' '));
  const row = `topic(${names.EVENT}, { from: '${app}', summary: 'The ${entity} was ${happened}.', key: 'id' })`;
  await changes.edit(TOPOLOGY, (text) => {
    const imported = insertAfterLast(text, IMPORT, `import { ${names.EVENT} } from './${module}';`);
    const exported = insertAfterLast(imported, /^export \* from /, `export * from './${module}';`);
    return appendToList(exported, 'TOPOLOGY: readonly (TopicTopology & EventDescription)[] = [', row);
  });
  await changes.derive(`apps/${app}/README.md`, (text) => withPublished(text, topic));
  changes.next.push('npm run contracts -- check');
  const generated = spawnSync('npm', ['run', '--silent', 'schemas', '-w', '@tandem/contracts'], {
    cwd: inRoot(),
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (generated.status !== 0) throw new Error(`npm run schemas failed:\n${generated.stdout}${generated.stderr}`);
  const files = [`schemas/${topic}.schema.json`, 'asyncapi.json', 'samples/checksums.json'];
  changes.derived.push(...files.map((file) => `libs/contracts/${file}`));
}

/** Adds an event to the README of the app that publishes the event. @throws when the README has no line `- **Publishes** …` */
function withPublished(page, topic) {
  const fact = /^- \*\*Publishes\*\* (.*(?:\n {2}.*)*)$/m.exec(page);
  if (!fact) throw new Error(`the README has no line "- **Publishes** …": add ${topic} by hand`);
  const others = fact[1].startsWith('nothing') ? '' : `${fact[1]}, `;
  return page.replace(fact[0], () => `- **Publishes** ${others}\`${topic}\``);
}
