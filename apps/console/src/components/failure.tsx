import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { toApiError } from '../api/problem';
import { resumeSignIn } from '../session/session';
import { texts } from '../texts/common';
import { Copyable } from './copyable';

/**
 * Shows an error with its request id and, if there is `onRetry`, a retry button. Leaves out the errors of fields in `shown`, which the form shows
 * next to the fields. If there are no other errors, it shows only a hint to correct the marked fields. If the partner was deactivated, it shows
 * no retry button, and says whom to ask.
 *
 * @param title default: “Something went wrong”
 */
export function Failure({
  error,
  onRetry,
  shown = [],
  title = texts.errors.title,
}: {
  error: unknown;
  onRetry?: () => void;
  shown?: readonly string[];
  title?: string;
}) {
  if (!error) return null;
  const { message, requestId, fields } = toApiError(error);
  const others = fields.filter(({ field }) => !shown.includes(field));
  if (fields.length > 0 && others.length === 0) {
    return (
      <Text size="xs" role="alert">
        {texts.errors.seeFields}
      </Text>
    );
  }
  const isInactive = message === texts.errors.inactive;
  return (
    <Alert
      color="red"
      variant="light"
      title={isInactive ? texts.errors.inactiveTitle : title}
      icon={<IconAlertTriangle />}
      role="alert"
    >
      <Text size="sm">{isInactive ? texts.errors.inactiveHint : message}</Text>
      {others.map(({ field, message: problem }) => (
        <Text size="sm" key={field}>
          {field}: {problem}
        </Text>
      ))}
      <Group gap="xs" mt="xs">
        {onRetry && !isInactive && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => {
              resumeSignIn();
              onRetry();
            }}
          >
            {texts.tryAgain}
          </Button>
        )}
        {requestId && (
          <Group gap={4}>
            <Text size="xs">{texts.errors.requestId}</Text>
            <Copyable value={requestId} label={texts.errors.copyRequestId} />
          </Group>
        )}
      </Group>
    </Alert>
  );
}
