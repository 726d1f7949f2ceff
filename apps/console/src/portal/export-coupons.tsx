import { Button } from '@mantine/core';
import { useState } from 'react';
import { answerOf, partnerApi } from '../api/clients';
import { toApiError } from '../api/problem';
import { useAct } from '../api/use-act';
import { Failure } from '../components/failure';
import { saveFile } from '../components/save-file';
import type { components, paths } from '../generated/partner-api';
import { portalTexts } from '../texts/portal';

const t = portalTexts.vouchers;
/** The most coupons that the API returns at once. */
const PAGE = 500;
/**
 * The wait after the API has refused a request because of its limit per minute, in ms. Ten tries wait 90 s in total, so the last is in
 * a new minute.
 */
const WAIT_MS = 10_000;
const MOST_TRIES = 10;
type Coupon = components['schemas']['Coupon'];
type CouponQuery = NonNullable<paths['/api/v2/partner/subscription/vouchers']['get']['parameters']['query']>;

const COLUMNS = ['code', 'status', 'createdAt', 'redeemedAt', 'expiresAt'] as const satisfies readonly (keyof Coupon)[];

/** Returns the line of a coupon. No value needs quotes: codes are letters, digits and hyphens, and times are in UTC as in ISO 8601. */
const lineOf = (coupon: Coupon): string => COLUMNS.map((column) => coupon[column] ?? '').join(',');

/** Returns the name of the file of a group. Characters other than letters and digits are replaced by hyphens. */
const fileNameOf = (group = ''): string => `${`coupons ${group}`.trim().replaceAll(/[^\p{L}\p{N}]+/gu, '-')}.csv`;

/** Returns a page of coupons. If the session has used up its requests of this minute, waits and tries again. */
async function pageOf(query: CouponQuery) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await answerOf(partnerApi.GET('/api/v2/partner/subscription/vouchers', { params: { query } }));
    } catch (error) {
      if (toApiError(error).status !== 429 || tries === MOST_TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    }
  }
}

interface ExportCouponsProps {
  /** The id of the group. */
  readonly group: string;
  /** The name of the group, for the name of the file. */
  readonly name: string | undefined;
  readonly status: Coupon['status'] | undefined;
}

/** A button that saves the listed coupons of a group as a CSV file, from all pages, and shows the progress. */
export function ExportCoupons({ group, name, status }: ExportCouponsProps) {
  const [count, setCount] = useState(0);
  const act = useAct(
    async () => {
      setCount(0);
      const lines = [COLUMNS.join(',')];
      let cursor: string | undefined;
      do {
        const query = { voucherGroupId: group, status, cursor, limit: PAGE };
        const page = await pageOf(query);
        lines.push(...page.items.map(lineOf));
        setCount(lines.length - 1);
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      saveFile(new Blob([`${lines.join('\r\n')}\r\n`], { type: 'text/csv' }), fileNameOf(name));
    },
    { changes: [], done: () => t.exported },
  );
  return (
    <>
      <Button size="xs" variant="default" onClick={() => act.mutate()} disabled={act.isPending} aria-live="polite">
        {act.isPending ? t.exporting(count) : t.export}
      </Button>
      <Failure error={act.error} />
    </>
  );
}
