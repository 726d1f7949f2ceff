import { TextInput, type TextInputProps } from '@mantine/core';
import { supportTexts } from '../texts/support';

const t = supportTexts.acts;

/** The name of the header in which the support API takes the reason for an action. */
export const REASON_HEADER = 'X-Support-Reason';

/** Returns the header with a reason. A header takes only Latin-1 characters, and the API reads UTF-8: one character for each byte. */
export const reasonHeader = (reason: string) => ({
  [REASON_HEADER]: String.fromCharCode(...new TextEncoder().encode(reason.trim())),
});

/** Returns why a reason is refused; undefined if it is valid. */
export const reasonProblemOf = (reason: string): string | undefined =>
  reason.trim() === '' ? t.reasonRequired : undefined;

/** The field for the reason for an action, which the audit trail stores. */
export const ReasonField = (props: Pick<TextInputProps, 'value' | 'error' | 'onChange'>) => (
  <TextInput
    label={t.reason}
    description={t.reasonHint}
    required
    maxLength={500}
    autoComplete="off"
    spellCheck={false}
    {...props}
  />
);
