import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { toApiError } from './problem';

interface ActOptions<T> {
  /** The lists and pages that show what the act changes: the first words of their keys. */
  readonly changes: readonly string[];
  /** What is told after it. */
  readonly done?: (result: T) => string;
  readonly onDone?: (result: T) => void;
}

/**
 * Something that a person does: afterwards what it changed is loaded again, and they are told. A failure is shown by the form or the dialog that
 * began it.
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
