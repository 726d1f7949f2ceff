import type { Dashboard, DashboardAnswer, Section } from './types.ts';

type SentSection = { readonly Ok: unknown } | { readonly Err: string };

/** Converts each section of the dashboard to a union. Sections that this version of the SDK does not know are kept. */
export const dashboardOf = (answer: DashboardAnswer): Dashboard =>
  Object.fromEntries(
    Object.entries(answer).map(([name, section]) => [name, sectionOf(section as SentSection)]),
  ) as unknown as Dashboard;

const sectionOf = (section: SentSection): Section<unknown> =>
  'Ok' in section ? { ok: true, value: section.Ok } : { ok: false, error: section.Err };
