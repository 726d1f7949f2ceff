import { declaredTopics, documentedTopics, handledTopics, publishedTopics } from './fixture/events-of-apps';

// The test loads all apps.
jest.setTimeout(240_000);

describe('the topology of @tandem/contracts', () => {
  it('names exactly the events that each app handles [events.declared]', async () => {
    expect(await handledTopics()).toEqual(declaredTopics('consumers'));
  });

  it('names exactly the events that each app’s code publishes [events.declared]', () => {
    expect(publishedTopics()).toEqual(declaredTopics('publishers'));
  });

  it('matches the table in docs/architecture.md', () => {
    const { publishers, consumers } = documentedTopics();
    expect(publishers).toEqual(declaredTopics('publishers'));
    expect(consumers).toEqual(declaredTopics('consumers'));
  });
});
