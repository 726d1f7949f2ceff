import { Text, TextInput, type TextInputProps } from '@mantine/core';
import { supportTexts } from '../texts/support';

const t = supportTexts.acts;

/** The name of the header in which the support API takes the reason for an action. */
export const REASON_HEADER = 'X-Support-Reason';

/** Returns the header with a reason. A header accepts only Latin-1, and the API reads UTF-8, so each byte of the UTF-8 text becomes a character. */
export const reasonHeader = (reason: string) => ({
  [REASON_HEADER]: String.fromCharCode(...new TextEncoder().encode(reason.trim())),
});

/** Returns why a reason is refused; undefined if it is valid. */
export const reasonProblemOf = (reason: string): string | undefined =>
  reason.trim() === '' ? t.reasonRequired : undefined;

/** An e-mail address, or as many digits as a phone number, a Social Security number or a card has. */
const PERSONAL = /\S@\S|(?:\d[\s().-]{0,2}){7}/;

/**
 * The field for an action's reason, which the audit trail stores. The field warns of a text that looks like personal data, but accepts the text, because
 * it may be a case number.
 */
export const ReasonField = (props: Pick<TextInputProps, 'value' | 'error' | 'onChange'>) => (
  <TextInput
    label={t.reason}
    description={
      <>
        {t.reasonHint}
        <Text role="status" component="span" display="block" fz="inherit" fw={600} c="var(--mantine-color-text)">
          {PERSONAL.test(String(props.value ?? '')) && t.reasonWarning}
        </Text>
      </>
    }
    required
    maxLength={500}
    autoComplete="off"
    spellCheck={false}
    {...props}
  />
);
