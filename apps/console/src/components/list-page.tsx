import { Button, Group } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { NativeSelect, TextInput } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { texts } from '../texts/common';
import { type Column, DataTable } from './data-table';
import { Loaded } from './loaded';

interface PageOf<Row> {
  readonly items: readonly Row[];
  readonly nextCursor: string | null;
}

interface ListProps<Row> {
  readonly label: string;
  readonly query: UseQueryResult<PageOf<Row>>;
  readonly columns: readonly Column<Row>[];
  readonly idOf: (row: Row) => string;
  readonly empty: ReactNode;
  readonly cursor?: string;
  readonly goTo?: (cursor: string | null) => void;
  readonly minWidth?: number;
}

/** One page of an API's list, newest first, with buttons for the next and the first page. */
export function List<Row>({ label, query, columns, idOf, empty, cursor, goTo, minWidth }: ListProps<Row>) {
  return (
    <Loaded query={query} lines={8}>
      {({ items, nextCursor }) => (
        <>
          {items.length === 0 ? (
            empty
          ) : (
            <DataTable label={label} columns={columns} rows={items} idOf={idOf} minWidth={minWidth} />
          )}
          {goTo && (cursor !== undefined || nextCursor !== null) && (
            <Group component="nav" aria-label={texts.pages} gap="xs">
              <Button variant="default" size="xs" disabled={cursor === undefined} onClick={() => goTo(null)}>
                {texts.firstPage}
              </Button>
              <Button variant="default" size="xs" disabled={nextCursor === null} onClick={() => goTo(nextCursor)}>
                {texts.nextPage}
              </Button>
            </Group>
          )}
        </>
      )}
    </Loaded>
  );
}

interface FilterProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string | null) => void;
}

/** A text filter. It takes effect when the user stops typing. */
export function TextFilter({ label, value, onChange, w = 220 }: FilterProps & { w?: number }) {
  const [text, setText] = useState(value);
  const send = useDebouncedCallback(onChange, 350);
  useEffect(() => setText(value), [value]);
  return (
    <TextInput
      label={label}
      size="xs"
      w={w}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        send(currentTarget.value.trim());
      }}
    />
  );
}

/** A filter with a choice of values. */
export const ChoiceFilter = ({
  label,
  value,
  onChange,
  choices,
}: FilterProps & { choices: Readonly<Record<string, string>> }) => (
  <NativeSelect
    label={label}
    size="xs"
    value={value}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
    data={[
      { value: '', label: texts.all },
      ...Object.entries(choices).map(([id, text]) => ({ value: id, label: text })),
    ]}
  />
);

/** A filter by day. */
export const DayFilter = ({ label, value, onChange }: FilterProps) => (
  <TextInput
    label={label}
    size="xs"
    type="date"
    value={value}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
  />
);

export const Filters = ({
  children,
  isFiltered,
  clear,
}: {
  children: ReactNode;
  isFiltered: boolean;
  clear: () => void;
}) => (
  <Group align="flex-end" gap="sm" role="search">
    {children}
    {isFiltered && (
      <Button size="xs" variant="subtle" onClick={clear}>
        {texts.reset}
      </Button>
    )}
  </Group>
);
