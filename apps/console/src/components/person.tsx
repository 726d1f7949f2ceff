import { Anchor, Box, Text, Tooltip } from '@mantine/core';
import { useSession } from '../session/session';
import { personTexts as t } from '../texts/person';
import { CopyIcon } from './copyable';

/** Shows the tooltip not only on hover, but also to people who use a keyboard or touch. */
const EVENTS = { hover: true, focus: true, touch: true } as const;

interface PersonProps {
  /** The subject of the person's token. */
  readonly subject: string;
  /** Filters the list by this subject. Called when the user presses the person's id. */
  readonly filter?: (subject: string) => void;
}

/** A person who acted: “You” for the user, otherwise the person's id with a copy button. The APIs know no names. */
export function Person({ subject, filter }: PersonProps) {
  const session = useSession();
  const isUser = session.kind === 'staff' && session.subject === subject;
  const text = isUser ? t.you : subject;
  return (
    <Box component="span" style={{ display: 'inline-flex', alignItems: 'center', gap: 2, maxWidth: '100%' }}>
      {filter ? (
        <Tooltip label={t.only} events={EVENTS}>
          <Anchor
            component="button"
            type="button"
            size="sm"
            ta="start"
            style={{ overflowWrap: 'anywhere' }}
            onClick={() => filter(subject)}
          >
            {text}
          </Anchor>
        </Tooltip>
      ) : (
        <Text span fz="inherit" style={{ overflowWrap: 'anywhere' }}>
          {text}
        </Text>
      )}
      {!isUser && <CopyIcon value={subject} />}
    </Box>
  );
}
