import { useDebouncedCallback } from '@mantine/hooks';
import { Button, Group, NativeSelect, Select, TextInput } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useState } from 'react';
import { texts } from '../texts/common';
import { listTexts } from '../texts/lists';
import { type Column, DataTable } from './data-table';
import { DAY_FIELD, isDay } from './days';
import { Empty } from './empty';
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
  /** What is shown if the whole list is empty. */
  readonly empty: ReactNode;
  readonly cursor?: string;
  readonly goTo?: (cursor: string | null) => void;
  readonly minWidth?: number;
}

/** One page of an API's list. If the list has several pages, buttons lead to the first and the next page. */
export function List<Row>({ label, query, columns, idOf, empty, cursor, goTo, minWidth }: ListProps<Row>) {
  return (
    <Loaded query={query} lines={8}>
      {({ items, nextCursor }) => (
        <>
          {items.length > 0 && (
            <DataTable label={label} columns={columns} rows={items} idOf={idOf} minWidth={minWidth} />
          )}
          {items.length === 0 && (cursor === undefined ? empty : <EmptyPage toFirst={() => goTo?.(null)} />)}
          {goTo && (cursor !== undefined || nextCursor !== null) && (
            <Group component="nav" aria-label={listTexts.pages} gap="xs">
              <Button variant="default" size="xs" disabled={cursor === undefined} onClick={() => goTo(null)}>
                {listTexts.firstPage}
              </Button>
              <Button variant="default" size="xs" disabled={nextCursor === null} onClick={() => goTo(nextCursor)}>
                {listTexts.nextPage}
              </Button>
            </Group>
          )}
        </>
      )}
    </Loaded>
  );
}

/** A note in place of a later page whose rows have all left the list. It does not claim that the list is empty. */
const EmptyPage = ({ toFirst }: { toFirst: () => void }) => (
  <Empty
    title={listTexts.emptyPageTitle}
    action={
      <Button size="xs" variant="default" onClick={toFirst}>
        {listTexts.toFirstPage}
      </Button>
    }
  >
    {listTexts.emptyPage}
  </Empty>
);

export interface FilterProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string | null) => void;
}

/** A text filter. It takes effect when the user stops typing. */
export function TextFilter({ label, hint, value, onChange, w = 220 }: FilterProps & { hint?: string; w?: number }) {
  const [text, setText] = useState(value);
  const send = useDebouncedCallback(onChange, 350);
  useEffect(() => setText(value), [value]);
  return (
    <TextInput
      label={label}
      description={hint}
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
  /** Called with what the user types, if an API searches the choices. Without this function, the filter itself searches the choices. */
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
    clearButtonProps={{ 'aria-label': listTexts.clear(label) }}
    placeholder={texts.all}
    nothingFoundMessage={listTexts.nothingFound}
    value={value || null}
    onChange={onChange}
    // A value from the URL may be none of the choices, so it is added to them.
    data={Object.entries({ ...(value && { [value]: value }), ...choices }).map(([id, text]) => ({
      value: id,
      label: text,
    }))}
    onSearchChange={onSearch}
    filter={onSearch && (({ options }) => options)}
  />
);

interface DayFilterProps extends FilterProps {
  /** The first day of the period, if this filter selects the last day; empty if none is selected. */
  readonly from?: string;
  /** The last day of the period, if this filter selects the first day; empty if none is selected. */
  readonly to?: string;
}

/**
 * A filter by day. While the user types a year digit by digit, the browser reports years such as 0002. So only a complete day from 2000 to 9998, or an
 * empty field, takes effect, and only when the user stops typing, presses Enter or leaves the field. If the period would end before it starts, the
 * day takes effect only after the user has corrected the other end of the period.
 */
export function DayFilter({ label, value, onChange, from = '', to = '' }: DayFilterProps) {
  const [day, setDay] = useState(value);
  const [applied, setApplied] = useState(value);
  const [isFinished, setFinished] = useState(true);
  const problemOf = (typed: string): string | undefined => {
    if (typed === '') return undefined;
    if (!isDay(typed)) return listTexts.dayOutOfRange;
    if (from !== '' && typed < from) return listTexts.dayBeforeFrom;
    return to !== '' && typed > to ? listTexts.dayAfterTo : undefined;
  };
  const apply = ({ value: typed, validity }: HTMLInputElement): void => {
    setFinished(true);
    if (!validity.badInput && problemOf(typed) === undefined && typed !== value) onChange(typed);
  };
  const applyLater = useDebouncedCallback(apply, 800);
  if (applied !== value) {
    // The value has changed elsewhere, for example in the URL: `day` takes the new value before the effect below compares `day` with `value`.
    setApplied(value);
    setDay(value);
  }
  useEffect(() => {
    if (isFinished && day !== '' && day !== value && problemOf(day) === undefined) onChange(day);
    // Runs only when the other end of the period changes.
  }, [from, to]);
  return (
    <TextInput
      label={label}
      size="xs"
      {...DAY_FIELD}
      value={day}
      error={isFinished ? problemOf(day) : undefined}
      // The error is above the field: below the field, it would move the field out of the row of filters.
      inputWrapperOrder={['label', 'error', 'input']}
      onChange={({ currentTarget }) => {
        setDay(currentTarget.value);
        setFinished(false);
        applyLater(currentTarget);
      }}
      onBlur={({ currentTarget }) => apply(currentTarget)}
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

interface FiltersProps {
  readonly children: ReactNode;
  readonly isFiltered: boolean;
  readonly clear: () => void;
  /** A number that changes when the filters are cleared, with the button of `Filters` or with the button in the note for an empty list. */
  readonly round: number;
}

/**
 * The filters of a list, with a button that clears them. The button appears as soon as a filter is set or a field contains input. When the filters
 * are cleared, `round` changes, and React creates new fields: an incomplete day exists only in the browser's field, where React cannot clear it.
 */
export const Filters = ({ round, ...props }: FiltersProps) => <FilterFields key={round} {...props} />;

function FilterFields({ children, isFiltered, clear }: Omit<FiltersProps, 'round'>) {
  const [isTyped, setTyped] = useState(false);
  return (
    <Group
      align="flex-end"
      gap="sm"
      role="search"
      onInput={({ currentTarget }: FormEvent<HTMLDivElement>) => setTyped(hasInput(currentTarget))}
    >
      {children}
      {(isFiltered || isTyped) && (
        <Button size="xs" variant="subtle" onClick={clear}>
          {texts.reset}
        </Button>
      )}
    </Group>
  );
}
