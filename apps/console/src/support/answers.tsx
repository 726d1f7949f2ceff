import { Paper, SimpleGrid, Text, Title } from '@mantine/core';
import { Sentence } from '../components/sentence';
import type { components } from '../generated/support-api';
import { answerTexts } from '../texts/answers';

type Story = components['schemas']['UserStory'];
type Name = keyof typeof answerTexts.questions;

/** The answers to support's questions about a user, each with what to do next and the API's own words, which are exact but technical. */
export const Answers = ({ story }: { story: Story }) => (
  <SimpleGrid cols={{ base: 1, md: 3 }}>
    {(Object.keys(answerTexts.questions) as Name[]).map((name) => (
      <Answer key={name} name={name} story={story} />
    ))}
  </SimpleGrid>
);

function Answer({ name, story }: { name: Name; story: Story }) {
  const { verdict, reason } = story[name];
  const words = answerTexts.answers[name];
  // The API may give a verdict that is newer than the console: then only the API's words are shown.
  const known = Object.hasOwn(words, verdict) ? words[verdict] : undefined;
  const isUnchecked = name === 'enrolled' && verdict === 'enrolled' && story.vendor.enrolledCodes === null;
  return (
    <Paper withBorder p="md">
      <Title order={2}>{answerTexts.questions[name]}</Title>
      {known && <Text size="sm">{isUnchecked ? answerTexts.enrolledUnchecked : known.state}</Text>}
      {known && (
        <Text size="sm" mt={4}>
          <b>{answerTexts.next}</b> {known.next}
        </Text>
      )}
      <Text size={known ? 'xs' : 'sm'} c={known ? 'dimmed' : undefined} mt={4} style={{ overflowWrap: 'anywhere' }}>
        {known && `${answerTexts.details} `}
        <Sentence>{reason}</Sentence>
      </Text>
    </Paper>
  );
}
