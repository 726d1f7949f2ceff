import { Anchor, Code, Group, Text } from '@mantine/core';
import { texts } from '../texts/common';
import { CopyIcon } from './copyable';

/** An id in a table. A long id breaks anywhere, so it does not make the table wider than a desktop window. */
export const Id = ({ value }: { value: string }) => (
  <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
    {value}
  </Text>
);

/** The length of a prefix such as `tok_`, and of the first characters after it. */
const SHOWN = 10;

/** The beginning of an id, in one line. The tooltip and the copy button have the whole id. */
export const ShortId = ({ value }: { value: string }) => (
  <Group gap={2} wrap="nowrap">
    <Code title={value} style={{ whiteSpace: 'nowrap' }}>
      {value.slice(0, SHOWN)}…
    </Code>
    <CopyIcon value={value} />
  </Group>
);

/** The subject who performed an action. If the list has a filter, a press lists only the actions of this subject. */
export const Who = ({ subject, filter }: { subject: string; filter?: (subject: string) => void }) =>
  filter ? (
    <Anchor
      component="button"
      type="button"
      size="sm"
      ta="start"
      title={texts.onlySubject}
      style={{ overflowWrap: 'anywhere' }}
      onClick={() => filter(subject)}
    >
      {subject}
    </Anchor>
  ) : (
    <Id value={subject} />
  );
