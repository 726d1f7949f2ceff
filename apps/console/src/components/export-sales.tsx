import { Anchor, Button } from '@mantine/core';
import { useState } from 'react';
import { download } from '../api/clients';
import { useAct } from '../api/use-act';
import { listTexts } from '../texts/lists';
import { Failure } from './failure';
import { saveFile } from './save-file';

const t = listTexts.salesCsv;
const KIB = 1024;

const sizeOf = (bytes: number): string =>
  bytes < KIB * KIB ? `${Math.ceil(bytes / KIB)} KiB` : `${(bytes / KIB / KIB).toFixed(1)} MiB`;

/** Returns whether the file has a line below the names of the columns. Only its beginning is read, because the file can be large. */
const hasRows = async (file: Blob): Promise<boolean> => (await file.slice(0, KIB * 4).text()).trim().includes('\n');

/** Returns the name of the file, such as `sales-2026-10-01-to-2026-10-31.csv`. */
function fileNameOf({ from, to }: { readonly from: string; readonly to: string }): string {
  const since = to === '' ? ['from', from] : [from];
  return `${['sales', ...(from === '' ? [] : since), ...(to === '' ? [] : ['to', to])].join('-')}.csv`;
}

/**
 * A button that saves the filtered sales as a file, and shows the progress.
 *
 * @param path the path in the API from which the file is requested
 * @param days the first and the last day of the filter, for the name of the file; empty if there is none
 * @param guide the address of the page that explains the columns of the file
 */
export function ExportSales({
  path,
  filters,
  days,
  guide,
}: {
  path: string;
  filters: Readonly<Record<string, string | undefined>>;
  days: { readonly from: string; readonly to: string };
  guide?: string;
}) {
  const [bytes, setBytes] = useState(0);
  const act = useAct(
    async () => {
      setBytes(0);
      const query = new URLSearchParams(
        Object.entries(filters).filter((entry): entry is [string, string] => entry[1] !== undefined),
      );
      const response = await download(`${path}?${query}`);
      const parts: BlobPart[] = [];
      const reader = response.body?.getReader();
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
        parts.push(part.value as BlobPart);
        setBytes((before) => before + part.value.length);
      }
      const file = new Blob(parts, { type: 'text/csv' });
      const hasSales = await hasRows(file);
      if (hasSales) saveFile(file, fileNameOf(days));
      return hasSales;
    },
    { changes: [], done: (hasSales) => (hasSales ? t.exported : { message: t.nothingExported, color: 'orange' }) },
  );
  return (
    <>
      {guide && (
        <Anchor href={guide} target="_blank" size="sm">
          {t.columns}
        </Anchor>
      )}
      <Button variant="default" onClick={() => act.mutate()} disabled={act.isPending} aria-live="polite">
        {act.isPending ? t.exporting(sizeOf(bytes)) : t.export}
      </Button>
      <Failure error={act.error} />
    </>
  );
}
