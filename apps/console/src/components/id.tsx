import { Text } from '@mantine/core';

/** An id in a table. A long id breaks anywhere, so it does not make the table wider than a desktop window. */
export const Id = ({ value }: { value: string }) => (
  <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
    {value}
  </Text>
);
