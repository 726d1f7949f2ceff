import { type EventDefinition, TOPOLOGY } from '../src';
import { topicOfSample } from '../src/compatibility/release';

/** Returns the event to which a file in `samples/` belongs. @throws Error when it belongs to none */
export function eventOfSample(file: string): EventDefinition<object> {
  const found = TOPOLOGY.find(({ event }) => event.topic === topicOfSample(file));
  if (!found) throw new Error(`${file} belongs to no topic`);
  return found.event;
}
