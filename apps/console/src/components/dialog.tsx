import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { toApiError } from '../api/problem';
import { texts } from '../texts/common';
import { Failure } from './failure';

/**
 * Gives the focus back to the button that opened a dialog, when the dialog is removed. Mantine itself does so only when `opened` changes, but
 * this dialog is open from its first render on.
 */
function useFocusReturn(opened: boolean): void {
  useEffect(() => {
    const { activeElement: opener } = document;
    if (!opened || !(opener instanceof HTMLElement)) return undefined;
    return () => {
      if (document.activeElement === document.body) opener.focus({ preventScroll: true });
    };
    // Runs only for the first render.
  }, []);
}

interface DialogProps<T, Input> {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** A text that tells the user what the action does, and to whom. */
  readonly consequence?: ReactNode;
  /** The name of the action, which is the text of the button. */
  readonly action: string;
  readonly danger?: boolean;
  readonly act: UseMutationResult<T, Error, Input>;
  /** Returns the input of the action; undefined when a field is invalid. */
  readonly inputOf: () => { readonly input: Input } | undefined;
  readonly children?: ReactNode;
  /** The names of the fields whose errors the form shows next to the field. The dialog does not repeat these errors. */
  readonly shown?: readonly string[];
  /** What the user should check before repeating the action. Shown after a failure if the action may have taken effect. */
  readonly whenUncertain?: string;
  /** The title of a failure, if “Something went wrong” does not describe it. */
  readonly failureTitle?: string;
  /** Whether the dialog stays open after the action, to show values that are shown only once. */
  readonly stays?: boolean;
}

/**
 * A dialog with a form that states the consequence of an action. If the action fails, the dialog stays open with the error and all input. To
 * protect the input, a click outside does not close the dialog, and neither does Escape once the user has typed something.
 */
export function Dialog<T, Input>({
  opened,
  onClose,
  title,
  consequence,
  action,
  danger = false,
  act,
  inputOf,
  children,
  shown,
  whenUncertain,
  failureTitle,
  stays = false,
}: DialogProps<T, Input>) {
  const [isTyped, setTyped] = useState(false);
  const formRef = useRef<HTMLFormElement>(null);
  useFocusReturn(opened);
  useEffect(() => {
    // Scrolls to the problem: a refused field may be above the visible part of the dialog, and a failure may be below it.
    const problem = act.error && formRef.current?.querySelector('[aria-invalid="true"], [role="alert"]');
    problem?.scrollIntoView({ block: 'nearest' });
  }, [act.error]);
  const close = (): void => {
    if (act.isPending) return;
    act.reset();
    setTyped(false);
    onClose();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const given = inputOf();
    if (given === undefined) {
      // Moves the focus to the first invalid field, which may be above the visible part of the dialog. The timeout is needed because React must
      // render the errors first.
      setTimeout(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
      return;
    }
    act.mutate(given.input, {
      onSuccess: () => {
        setTyped(false);
        if (!stays) onClose();
      },
    });
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={title}
      closeButtonProps={{ 'aria-label': texts.close }}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={!isTyped}
    >
      <form ref={formRef} onSubmit={submit} onInput={() => setTyped(true)} noValidate>
        <Stack gap="md">
          {consequence && (
            <Text size="sm" component="div">
              {consequence}
            </Text>
          )}
          {children}
          <Failure error={act.error} shown={shown} title={failureTitle} />
          {whenUncertain && act.error && toApiError(act.error).isUncertain && <Text size="sm">{whenUncertain}</Text>}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {texts.cancel}
            </Button>
            <Button type="submit" color={danger ? 'red.8' : undefined} loading={act.isPending}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** Names the thing that an action changes, above the consequence of the action. */
export const Subject = ({ children }: { children: ReactNode }) => (
  <Text size="sm" fw={600} mb={4} style={{ overflowWrap: 'anywhere' }}>
    {children}
  </Text>
);

type ConfirmProps<T> = Pick<
  DialogProps<T, void>,
  'title' | 'consequence' | 'action' | 'danger' | 'act' | 'children'
> & {
  readonly button?: { readonly size?: string; readonly variant?: string };
  readonly disabled?: boolean;
  /** The text of the button that opens the dialog. Default: the name of the action. */
  readonly label?: string;
  /** Whether the input in `children` is valid, so that it can be sent. Default: true. */
  readonly isValid?: boolean;
};

/** A button that opens a dialog to confirm the action. */
export function ConfirmButton<T>({ button, disabled, label, isValid = true, ...dialog }: ConfirmProps<T>) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button size="xs" variant="default" {...button} disabled={disabled} onClick={() => setOpened(true)}>
        {label ?? dialog.action}
      </Button>
      <Dialog
        {...dialog}
        opened={opened}
        onClose={() => setOpened(false)}
        inputOf={() => (isValid ? { input: undefined } : undefined)}
      />
    </>
  );
}
