import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { useId } from 'react';
import { resumeSignIn } from '../session/session';
import { toApiError } from './problem';

/** The text and the color of a notification. The color shows that the action failed, or succeeded only in part. */
export interface Notice {
  readonly message: string;
  readonly color: 'orange' | 'red';
}

interface ActOptions<T> {
  /** After the action, every query whose key begins with one of these parts is loaded again. */
  readonly changes: readonly string[];
  /** Returns the text of the notification after success, or a notice if the API answered that something was not done. */
  readonly done?: (result: T) => string | Notice;
  readonly onDone?: (result: T) => void;
  /** Whether these queries are loaded again after a failure too, because the action may have taken effect. */
  readonly reloadsAfterFailure?: boolean;
}

/** Returns the options of a notification. A notification of a failure stays until the user closes it. */
const noticeOf = (result: string | Notice) =>
  typeof result === 'string' ? { message: result, color: 'teal' } : { ...result, autoClose: false };

/**
 * Returns a mutation for an action of the user. After a success, the affected data is loaded again and, with `done`, a notification
 * appears. A failure is shown by the form or dialog that started the action. `mutate` does nothing while the action is running.
 */
export function useAct<T, Input = void>(
  act: (input: Input) => Promise<T>,
  { changes, done, onDone, reloadsAfterFailure = false }: ActOptions<T>,
): UseMutationResult<T, Error, Input> {
  const queries = useQueryClient();
  const reload = () => Promise.all(changes.map((key) => queries.invalidateQueries({ queryKey: [key] })));
  const mutationKey = [useId()];
  const mutation = useMutation({
    mutationKey,
    mutationFn: (input: Input) => {
      resumeSignIn();
      return act(input).catch((error: unknown) => {
        throw toApiError(error);
      });
    },
    onSuccess: async (result) => {
      if (done) notifications.show(noticeOf(done(result)));
      onDone?.(result);
      await reload();
    },
    onError: reloadsAfterFailure ? reload : undefined,
  });
  // The user can press the button a second time before it is rendered as disabled.
  const mutate: typeof mutation.mutate = (...args) => {
    if (queries.isMutating({ mutationKey }) === 0) mutation.mutate(...args);
  };
  return { ...mutation, mutate };
}
