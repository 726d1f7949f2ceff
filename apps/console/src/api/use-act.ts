import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { toApiError } from './problem';

interface ActOptions<T> {
  /** The lists and pages that the action affects, by the first part of their query keys. */
  readonly changes: readonly string[];
  /** The notification after success. */
  readonly done?: (result: T) => string;
  readonly onDone?: (result: T) => void;
}

/**
 * An action of the user. After success, the affected data is loaded again and a notification appears. The form or dialog that started the
 * action shows a failure.
 */
export function useAct<T, Input = void>(
  act: (input: Input) => Promise<T>,
  { changes, done, onDone }: ActOptions<T>,
): UseMutationResult<T, Error, Input> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) =>
      act(input).catch((error: unknown) => {
        throw toApiError(error);
      }),
    onSuccess: async (result) => {
      if (done) notifications.show({ message: done(result), color: 'teal' });
      onDone?.(result);
      await Promise.all(changes.map((key) => queries.invalidateQueries({ queryKey: [key] })));
    },
  });
}
