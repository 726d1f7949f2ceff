import { Alert, Text } from '@mantine/core';
import { Link } from '../components/link';

interface NotSentProps {
  readonly title: string;
  readonly text: string;
  /**
   * The screen on which the user can solve the problem, and what to do there. Omitted if the user has no right to do it.
   */
  readonly step?: { readonly to: string; readonly action: string };
}

/** States why postbacks are held or keep failing, and what can be done. */
export const NotSent = ({ title, text, step }: NotSentProps) => (
  <Alert color="orange" variant="light" title={title}>
    <Text size="sm">
      {text} {step && <Link to={step.to}>{step.action}</Link>}
    </Text>
  </Alert>
);
