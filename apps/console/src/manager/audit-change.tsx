import { Code, Group, Modal, Stack, Text } from '@mantine/core';
import { AuditValue } from '../components/audit-value';
import { Copyable } from '../components/copyable';
import { DataTable } from '../components/data-table';
import type { components } from '../generated/manager-api';
import { texts } from '../texts/common';
import { auditTexts as t } from '../texts/audit';

export type Entry = components['schemas']['AuditEntry'];

/**
 * Whether an entry is about a save of an endpoint. Such an entry does not contain the values before the save, because the app that writes the entries
 * does not store endpoints.
 */
export const isSaveOfEndpoint = ({ action }: Entry): boolean => action.startsWith('postback.save');

interface AuditChangeProps {
  readonly entry: Entry | null;
  /** For a saved endpoint, the entry with the values from before the save, if they are known. */
  readonly earlier: Entry | undefined;
  readonly onClose: () => void;
}

/** A dialog that shows the values before and after an action. */
export const AuditChange = ({ entry, earlier, onClose }: AuditChangeProps) => (
  <Modal
    opened={entry !== null}
    onClose={onClose}
    title={entry && t.entryName(entry)}
    size="xl"
    closeButtonProps={{ 'aria-label': texts.close }}
  >
    {entry && (
      <Stack gap="xs">
        <Group gap={4}>
          {texts.errors.requestId} <Copyable value={entry.requestId} />
        </Group>
        <Values before={beforeOf(entry, earlier)} after={entry.after} />
        {!beforeOf(entry, earlier) && isSaveOfEndpoint(entry) && <Text size="sm">{t.inEarlier}</Text>}
      </Stack>
    )}
  </Modal>
);

/**
 * The values before an action. For a saved endpoint, they are the values of the earlier entry, with two exceptions. First, the status before the
 * save is unknown, because the platform may have disabled the endpoint without an audit entry, so no change of the status is shown. Second,
 * `isKeyGiven` describes the save and not the endpoint, so it is not taken from the earlier entry.
 */
const beforeOf = ({ before, after }: Entry, earlier: Entry | undefined): Entry['before'] =>
  before ??
  (earlier?.after
    ? { ...earlier.after, status: after?.status, isKeyGiven: after?.isKeyGiven === undefined ? undefined : false }
    : null);

type ValuesOf = Readonly<Record<string, unknown>>;

/** Returns the values by their paths, such as `endpointLimits.concurrency`. */
const byPath = (values: object | null, parent = ''): ValuesOf =>
  Object.fromEntries(
    Object.entries(values ?? {}).flatMap(([name, value]: [string, unknown]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(byPath(value, `${parent}${name}.`))
        : [[parent + name, value] as const],
    ),
  );

/** The fields that name what was changed. They are shown even if they were not changed themselves. */
const NAMING = ['name', 'code', 'last4', 'environment'];

/** Shows the values that an action changed. */
function Values({ before: earlier, after: later }: Pick<Entry, 'before' | 'after'>) {
  const before = byPath(earlier);
  const after = byPath(later);
  const fields = Object.keys({ ...before, ...after });
  if (fields.length === 0) return <Text size="sm">{t.noValues}</Text>;
  const isSame = (field: string): boolean =>
    JSON.stringify(before[field] ?? null) === JSON.stringify(after[field] ?? null);
  // `updatedAt` is left out, because the entry itself shows the time of the change.
  const changed = fields.filter((field) => !isSame(field) && !(earlier && field === 'updatedAt'));
  const naming = NAMING.filter((field) => typeof after[field] === 'string' && isSame(field));
  return (
    <>
      {naming.map((field) => (
        <Text key={field} size="sm">
          {t.fieldName(field)}: {String(after[field])}
        </Text>
      ))}
      {changed.length === 0 ? (
        <Text size="sm">{t.noChange}</Text>
      ) : (
        <DataTable
          label={t.change}
          rows={changed}
          idOf={(field) => field}
          minWidth={480}
          columns={[
            { title: t.field, cell: (field) => <Text size="sm">{t.fieldName(field)}</Text> },
            { title: t.before, cell: (field) => <Value value={before[field]} /> },
            { title: t.after, cell: (field) => <Value value={after[field]} /> },
          ]}
        />
      )}
    </>
  );
}

/** A value in words. Codes are shown as the API returns them. */
const Value = ({ value }: { value: unknown }) =>
  value === undefined || value === null ? (
    texts.none
  ) : (
    <Code style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
      <AuditValue value={value} nameOf={t.fieldName} />
    </Code>
  );
