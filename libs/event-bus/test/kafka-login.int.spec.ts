import { deadLetterTopicOf } from '@tandem/contracts';
import { describeKafka, eventually } from '@tandem/testing';
import {
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  Kafka,
  logLevel,
  ResourcePatternTypes,
} from 'kafkajs';
import { createKafkaBus, ensureTopics, type EventBus, type KafkaLogin } from '../src';
import { BusTest } from './fixture/bus';
import { type SecuredKafka, startSecuredKafka } from './fixture/secured-kafka';

jest.setTimeout(180_000);

const PASSWORDS = { writer: 'the-writers-password', reader: 'the-readers-password' };
type User = keyof typeof PASSWORDS;

describeKafka('a login to Kafka', () => {
  let kafka: SecuredKafka;
  let test: BusTest;
  let buses: EventBus[];
  beforeAll(async () => {
    kafka = await startSecuredKafka(PASSWORDS);
    test = await BusTest.begin('kafka', kafka.brokers);
    await allow('writer', AclResourceTypes.TOPIC, test.topic.event.topic, AclOperationTypes.WRITE);
    await allow('reader', AclResourceTypes.TOPIC, test.topic.event.topic, AclOperationTypes.READ);
    await allow('reader', AclResourceTypes.GROUP, test.group, AclOperationTypes.READ);
  });
  afterAll(async () => {
    await test?.end();
    await kafka?.stop();
  });
  beforeEach(() => {
    buses = [];
  });
  afterEach(async () => {
    for (const { consumer, publisher } of buses) {
      await consumer.stop();
      await consumer.close();
      await publisher.close();
    }
  });

  async function allow(user: User, type: AclResourceTypes, name: string, operation: AclOperationTypes): Promise<void> {
    const admin = new Kafka({ brokers: kafka.brokers, logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    await admin.createAcls({
      acl: [
        {
          resourceType: type,
          resourceName: name,
          resourcePatternType: ResourcePatternTypes.LITERAL,
          principal: `User:${user}`,
          host: '*',
          operation,
          permissionType: AclPermissionTypes.ALLOW,
        },
      ],
    });
    await admin.disconnect();
  }

  const loginOf = (user: User): KafkaLogin => ({ username: user, password: PASSWORDS[user], ca: kafka.ca });

  const open = (
    user: User,
    login: KafkaLogin = loginOf(user),
    onFatal: (error: Error) => void = jest.fn(),
  ): EventBus => {
    const address = { kafkaBrokers: kafka.loginBrokers, kafkaLogin: login };
    const bus = createKafkaBus({ ...test.optionsOf(user, onFatal), ...address });
    buses.push(bus);
    return bus;
  };

  const publish = (bus: EventBus, text: string, topic = test.topic.event.topic): Promise<void> =>
    bus.publisher.publish([{ topic, key: 'a', headers: {}, value: Buffer.from(text) }]);

  it('allows its user to publish events, to handle events and to read the lag', async () => {
    const [writer, reader] = [open('writer'), open('reader')];
    await publish(writer, 'one');
    const seen: string[] = [];
    reader.consumer.start([test.topic.event.topic], async (messages) => {
      seen.push(...messages.map(({ value }) => String(value)));
    });
    await eventually(() => expect(seen).toEqual(['one']));
    await eventually(async () =>
      expect(await reader.consumer.lag([test.topic.event.topic])).toEqual(new Map([[test.topic.event.topic, 0]])),
    );
  });

  it('makes ensureTopics fail and name a topic only while its user may neither describe nor create the topic', async () => {
    const deadLetters = deadLetterTopicOf(test.topic.event.topic);
    const ensure = (): Promise<void> =>
      ensureTopics({
        bus: 'kafka',
        kafkaBrokers: kafka.loginBrokers,
        kafkaLogin: loginOf('writer'),
        superuserUrl: test.database.superuserUrl,
        topology: test.topic.topology,
      });
    await expect(ensure()).rejects.toThrow(`topics cannot be created: ${deadLetters}: Not authorized`);
    await allow('writer', AclResourceTypes.TOPIC, deadLetters, AclOperationTypes.DESCRIBE);
    await ensure();
  });

  it('cannot publish as a user that may only consume', async () => {
    await expect(publish(open('reader'), 'two')).rejects.toThrow(/not authorized/i);
  });

  it('fails with a wrong password, and the error says that authentication failed', async () => {
    const bus = open('writer', { ...loginOf('writer'), password: 'wrong' });
    await expect(publish(bus, 'three')).rejects.toThrow(/authentication failed/i);
  });

  it('refuses a broker whose certificate was signed by a CA that Node does not trust', async () => {
    await expect(publish(open('writer', { ...loginOf('writer'), ca: undefined }), 'four')).rejects.toThrow(
      /self-signed certificate/i,
    );
  });
});
