import { Code, Group, Text } from '@mantine/core';
import { CopyIcon } from './copyable';
import { Link } from './link';

/** An id in a table. A long id breaks anywhere, so it does not make the table wider than a desktop window. */
export const Id = ({ value }: { value: string }) => (
  <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
    {value}
  </Text>
);

/** How many characters of an id are shown: a prefix such as `tok_`, and the first characters after the prefix. */
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

/** The maximum width of an id in a table with many columns, px. */
const MOST_WIDTH = 110;

interface LineIdProps {
  readonly value: string;
  /** The path of a screen that the id links to. */
  readonly to?: string;
}

/** An id of any length, in one line: an ellipsis stands for the end that does not fit. The tooltip and the copy button have the whole id. */
export const LineId = ({ value, to }: LineIdProps) => (
  <Group gap={2} wrap="nowrap">
    {to === undefined ? (
      <Text size="sm" truncate maw={MOST_WIDTH} title={value}>
        {value}
      </Text>
    ) : (
      <Link to={to} truncate maw={MOST_WIDTH} title={value}>
        {value}
      </Link>
    )}
    <CopyIcon value={value} />
  </Group>
);
