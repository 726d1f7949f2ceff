import { useDebouncedCallback } from '@mantine/hooks';
import { Button, Group, NativeSelect, Select, TextInput } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { type FormEvent, Fragment, type KeyboardEvent, type ReactNode, useEffect, useState } from 'react';
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

export interface FilterProps {
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

interface SearchFilterProps extends FilterProps {
  readonly choices: Readonly<Record<string, string>>;
  /** Called with what the user types, if an API searches the choices. Without it, the choices are searched here. */
  readonly onSearch?: (text: string) => void;
}

/** A filter with a choice of many values, which the user can search. */
export const SearchFilter = ({ label, value, onChange, choices, onSearch }: SearchFilterProps) => (
  <Select
    label={label}
    size="xs"
    w={260}
    searchable
    clearable
    clearButtonProps={{ 'aria-label': texts.clear(label) }}
    placeholder={texts.all}
    nothingFoundMessage={texts.nothingFound}
    value={value || null}
    onChange={onChange}
    // A value from the URL may be none of the choices.
    data={Object.entries({ ...(value && { [value]: value }), ...choices }).map(([id, text]) => ({
      value: id,
      label: text,
    }))}
    onSearchChange={onSearch}
    filter={onSearch && (({ options }) => options)}
  />
);

const FIRST_DAY = '2000-01-01';
const LAST_DAY = '9999-12-31';

/**
 * A filter by day. While the user types a year digit by digit, the browser reports years such as 0002. So only a complete day from 2000 on takes
 * effect, and only when the user stops typing, presses Enter or leaves the field.
 */
export function DayFilter({ label, value, onChange }: FilterProps) {
  const [day, setDay] = useState(value);
  const [hasLeft, setHasLeft] = useState(false);
  const isPlausible = day === '' || (day >= FIRST_DAY && day <= LAST_DAY);
  const apply = ({ value: typed, validity }: HTMLInputElement): void => {
    const isComplete = typed === '' ? !validity.badInput : typed >= FIRST_DAY && typed <= LAST_DAY;
    if (isComplete && typed !== value) onChange(typed);
  };
  const applyLater = useDebouncedCallback(apply, 800);
  useEffect(() => setDay(value), [value]);
  return (
    <TextInput
      label={label}
      size="xs"
      type="date"
      min={FIRST_DAY}
      max={LAST_DAY}
      value={day}
      error={hasLeft && !isPlausible ? texts.dayFrom2000 : undefined}
      onChange={({ currentTarget }) => {
        setDay(currentTarget.value);
        setHasLeft(false);
        applyLater(currentTarget);
      }}
      onBlur={({ currentTarget }) => {
        setHasLeft(true);
        apply(currentTarget);
      }}
      onKeyDown={(event: KeyboardEvent<HTMLInputElement>) => {
        if (event.key === 'Enter') apply(event.currentTarget);
      }}
    />
  );
}

/** Returns whether any of the text and day fields contains input, even if the input is incomplete. */
const hasInput = (fields: Element): boolean =>
  [...fields.querySelectorAll<HTMLInputElement>('input:not([type="checkbox"], [type="radio"])')].some(
    ({ value, validity }) => value !== '' || validity.badInput,
  );

/** The filters of a list, with a button that clears them. The button appears as soon as a filter is set or a field contains input. */
export function Filters({
  children,
  isFiltered,
  clear,
}: {
  children: ReactNode;
  isFiltered: boolean;
  clear: () => void;
}) {
  const [isTyped, setTyped] = useState(false);
  const [round, setRound] = useState(0);
  const clearAll = (): void => {
    // Renders new fields: an incomplete day exists only in the browser's field, where React cannot clear it.
    setRound(round + 1);
    setTyped(false);
    clear();
  };
  return (
    <Group
      align="flex-end"
      gap="sm"
      role="search"
      onInput={({ currentTarget }: FormEvent<HTMLDivElement>) => setTyped(hasInput(currentTarget))}
    >
      <Fragment key={round}>{children}</Fragment>
      {(isFiltered || isTyped) && (
        <Button size="xs" variant="subtle" onClick={clearAll}>
          {texts.reset}
        </Button>
      )}
    </Group>
  );
}
