import { declaredTopics, documentedTopics, handledTopics, publishedTopics } from './fixture/events-of-apps';

// All apps are loaded and built.
jest.setTimeout(240_000);

describe('the topology of @tandem/contracts', () => {
  it('names the events that each app handles, and no other [events.declared]', async () => {
    expect(await handledTopics()).toEqual(declaredTopics('consumers'));
  });

  it('names the events that the code of each app publishes, and no other [events.declared]', () => {
    expect(publishedTopics()).toEqual(declaredTopics('publishers'));
  });

  it('is what docs/architecture.md tells of each app', () => {
    const { publishers, consumers } = documentedTopics();
    expect(publishers).toEqual(declaredTopics('publishers'));
    expect(consumers).toEqual(declaredTopics('consumers'));
  });
});
