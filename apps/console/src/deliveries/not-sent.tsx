import { Alert, Text } from '@mantine/core';
import { Link } from '../components/link';

interface NotSentProps {
  readonly title: string;
  readonly text: string;
  /** The path of the screen on which the user can solve the problem. */
  readonly to: string;
  /** What to do on that screen, as the text of the link. */
  readonly action: string;
}

/** States why postbacks are held, and what can be done. */
export const NotSent = ({ title, text, to, action }: NotSentProps) => (
  <Alert color="orange" variant="light" title={title}>
    <Text size="sm">
      {text} <Link to={to}>{action}</Link>
    </Text>
  </Alert>
);
