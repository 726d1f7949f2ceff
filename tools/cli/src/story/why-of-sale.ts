import { inHome } from '@tandem/stack-client';
import { hasStory, logFiles } from '../logs/log-story';
import { print } from '../print';
import { answerOf, type ManagerApi, RefusedError } from '../public-api';
import { type SaleStory, formatSale } from './sale-story';
import { quoted, type UrlOfApp } from './steps';

/** How many stories are printed when several sales have the given reference. */
const SHOWN = 3;

/**
 * Prints what happened to a sale and its postback, and what to do next. If no sale has the oid `asked`, prints this for
 * the newest sales with the reference `asked`. The exit code is 1 when no sale has this oid or reference.
 *
 * @throws Error when no partner has the id `partner`
 */
export async function whyOfSale(
  api: ManagerApi,
  { oid: asked, partner, json }: { oid: string; partner?: string; json?: boolean },
  urlOf: UrlOfApp,
): Promise<void> {
  const story = await storyOf(api, asked, partner);
  const others = story.verdict === 'unknown' ? await salesOf(api, asked, partner) : [];
  const stories =
    others.length > 0
      ? await Promise.all(others.slice(0, SHOWN).map((oid) => storyOf(api, oid)))
      : [urlOf('edge') === undefined ? story : await withLogs(story)];
  const more =
    others.length > SHOWN ? [`More sales have this reference: npm run partner -- sales --ref-id ${quoted(asked)}`] : [];
  print({ json }, stories, () => [...stories.map((one) => formatSale(one, urlOf)), ...more].join('\n\n'));
  if (stories.every(({ verdict }) => verdict === 'unknown')) process.exitCode = 1;
}

/** If the id is unknown and the logs have no line about it, leaves out the step that reads the logs, because the id may be a reference. */
async function withLogs(story: SaleStory): Promise<SaleStory> {
  if (story.verdict !== 'unknown' || (await hasStory(story.oid, logFiles(inHome('logs'))))) return story;
  return { ...story, next: story.next.filter(({ step }) => step !== 'read_logs') };
}

async function storyOf(api: ManagerApi, oid: string, partnerId?: string): Promise<SaleStory> {
  try {
    return await answerOf(api.GET('/admin/sales/{oid}/story', { params: { path: { oid }, query: { partnerId } } }));
  } catch (error) {
    if (!(error instanceof RefusedError) || error.status !== 404) throw error;
    throw new Error(`there is no partner ${partnerId}: 'npm run partner -- list' shows the ids`, { cause: error });
  }
}

/** Returns the oids of the sales that have a partner's reference, newest first: at most one more than `SHOWN`. */
async function salesOf(api: ManagerApi, refId: string, partnerId?: string): Promise<string[]> {
  const query = { refId, partnerId, limit: SHOWN + 1 };
  const { items } = await answerOf(api.GET('/admin/sales', { params: { query } }));
  return items.map(({ oid }) => oid);
}
