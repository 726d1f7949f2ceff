import { Box, Table } from '@mantine/core';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import classes from './data-table.module.css';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  readonly align?: 'right';
}

interface DataTableProps<Row> {
  /** Describes the rows for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  /** The width that the table needs, in px. In a narrower space, each row is a card. */
  readonly minWidth?: number;
}

/** Returns a ref for a container, and whether the container is at least `width` px wide. */
function useFits(width: number) {
  const ref = useRef<HTMLDivElement>(null);
  const [fits, setFits] = useState(true);
  useLayoutEffect(() => {
    const container = ref.current;
    if (!container) return undefined;
    const measure = (): void => setFits(container.clientWidth >= width);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(container);
    return () => observer.disconnect();
  }, [width]);
  return [ref, fits] as const;
}

/**
 * A table that, in a narrow space, shows each row as a card with all its values. The cards have explicit roles, so that they are still a table for
 * screen readers: some browsers remove the role of an element whose `display` changes.
 */
export function DataTable<Row>({ label, columns, rows, idOf, minWidth = 640 }: DataTableProps<Row>) {
  const [ref, fits] = useFits(minWidth);
  const role = (name: string): string | undefined => (fits ? undefined : name);
  return (
    <Box ref={ref} role="region" aria-label={label} tabIndex={0} style={{ overflowX: 'auto' }}>
      <Table
        verticalSpacing="xs"
        highlightOnHover={fits}
        className={fits ? undefined : classes.cards}
        role={role('table')}
      >
        <Table.Thead role={role('rowgroup')}>
          <Table.Tr role={role('row')}>
            {columns.map(({ title, align }) => (
              <Table.Th key={title} ta={align} role={role('columnheader')}>
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role={role('rowgroup')}>
          {rows.map((row) => (
            <Table.Tr key={idOf(row)} role={role('row')}>
              {columns.map(({ title, align, cell }) => (
                <Table.Td key={title} ta={fits ? align : undefined} role={role('cell')} data-label={title || undefined}>
                  <div className={classes.value}>{cell(row)}</div>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  );
}
