import { Button, Code, Stack } from '@mantine/core';
import { useState } from 'react';
import { Empty } from '../components/empty';
import { Id } from '../components/id';
import { Link } from '../components/link';
import { List } from '../components/list-page';
import { Person } from '../components/person';
import { Time } from '../components/time';
import { auditTexts as t } from '../texts/audit';
import { AuditChange, type Entry, isSaveOfEndpoint } from './audit-change';

interface AuditListProps {
  readonly query: Parameters<typeof List<Entry>>[0]['query'];
  readonly cursor?: string;
  readonly goTo?: (cursor: string | null) => void;
  /** The person by whose actions the list is filtered. `set` is called when the user presses a person in the list. */
  readonly filter?: { readonly actor: string; readonly set: (actor: string) => void };
  /** Whether filters hide some of the actions on an object, so that the previous action on the object may be missing from the list. */
  readonly isPartial?: boolean;
  /** The partner whose page contains the list. Entries about this partner do not link to its page. */
  readonly ofPartner?: string;
}

/** Lists actions of managers and partners, with the values that each action changed. */
export function AuditList({ query, cursor, goTo, filter, isPartial = false, ofPartner }: AuditListProps) {
  const [shown, setShown] = useState<Entry | null>(null);
  // While a list with new filters loads, its rows are placeholders: the rows that matched the previous filters.
  const isWhole = !isPartial && !query.isPlaceholderData;
  return (
    <>
      <List
        label={t.title}
        query={query}
        idOf={({ id }) => id}
        cursor={cursor}
        goTo={goTo}
        minWidth={760}
        empty={<Empty title={t.emptyTitle}>{filter?.actor ? t.emptyOfActor : t.empty}</Empty>}
        columns={[
          { title: t.at, cell: ({ at }) => <Time value={at} /> },
          { title: t.actor, cell: (entry) => <Actor entry={entry} filter={filter?.set} /> },
          {
            title: t.action,
            cell: (entry) => (
              <>
                {t.entryName(entry)} <Code>{entry.action}</Code>
              </>
            ),
          },
          { title: t.entity, cell: (entry) => <Changed entry={entry} ofPartner={ofPartner} /> },
          {
            title: t.change,
            cell: (entry) => (
              <Button size="compact-xs" variant="default" onClick={() => setShown(entry)}>
                {t.show}
              </Button>
            ),
          },
        ]}
      />
      <AuditChange
        entry={shown}
        earlier={shown && isWhole ? savedBefore(shown, query.data?.items ?? []) : undefined}
        onClose={() => setShown(null)}
      />
    </>
  );
}

/**
 * Returns the entry with the values that a saved endpoint had before the save; undefined if the values are not known. They are known only if the list
 * contains the previous request to save this endpoint, and the result of that request. Without the result, the request may have had no effect.
 */
function savedBefore({ id, action, entityId, requestId, after }: Entry, entries: readonly Entry[]): Entry | undefined {
  const at = entries.findIndex((one) => one.id === id);
  if (action !== 'postback.saved' || at < 0) return undefined;
  const [first, second] = entries
    .slice(at + 1)
    .filter((one) => isSaveOfEndpoint(one) && one.entityId === entityId)
    .filter((one) => one.after?.environment === after?.environment);
  const isOwnRequest = first?.action === 'postback.save_requested' && first.requestId === requestId;
  const previous = isOwnRequest ? second : first;
  return previous?.action === 'postback.saved' ? previous : undefined;
}

/** The partner that an entry is about; undefined if it is about none. The API's filter by partner uses the same rule. */
function partnerOf({ before, after, entityId }: Entry): string | undefined {
  const id = after?.partnerId ?? before?.partnerId ?? entityId;
  return typeof id === 'string' && id.startsWith('ptn_') ? id : undefined;
}

/** Maps the prefix of an actor to the tab of the partner's page that lists the portal link or the token with which the actor acted. */
const TABS: Readonly<Record<string, string>> = { 'portal-link': 'links', token: 'tokens' };

/** Shows who acted: a manager, or a partner. For a partner, links to the tab that lists the portal link or the token with which the partner acted. */
function Actor({ entry, filter }: { entry: Entry; filter?: (actor: string) => void }) {
  const tab = TABS[entry.actor.split(':', 1)[0] ?? ''];
  const partnerId = partnerOf(entry);
  if (!tab || !partnerId) return <Person subject={entry.actor} filter={filter} />;
  return <Link to={`/partners/${partnerId}?tab=${tab}`}>{entry.actor}</Link>;
}

function Changed({ entry, ofPartner }: { entry: Entry; ofPartner?: string }) {
  const partnerId = partnerOf(entry);
  return (
    <Stack gap={2}>
      <Id value={entry.entityId} />
      {partnerId && partnerId !== ofPartner && (
        <Link to={`/partners/${partnerId}`} size="xs">
          {entry.partnerName ?? t.toPartner}
        </Link>
      )}
    </Stack>
  );
}
