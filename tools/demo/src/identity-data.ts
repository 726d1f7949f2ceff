import type { Answer } from './client';
import type { IdentityUser } from './identity-user';

type Section = { Ok?: unknown; Err?: string };

interface AlertItem {
  alertId: number;
  class: string;
  read: boolean;
}

interface Progress {
  totalRecords: number;
  notInitiated: number;
  submitted: number;
  confirmed: number;
  verified: number;
  percentCompleted: number;
}

const SECTIONS = [
  'creditScoreHistory',
  'dataRemovalProgress',
  'financialAccountsStatus',
  'monitorsOverview',
  'neighborhoodWatchStatus',
  'userAlerts',
];

/** Shows the vendor's findings as the user sees them: the dashboard, an alert, the scans. */
export async function watchOver(user: IdentityUser, arrayUserId: string): Promise<void> {
  await lookAtDashboard(user, arrayUserId);
  await readAlert(user, arrayUserId);
  await followScans(user);
}

async function lookAtDashboard(user: IdentityUser, arrayUserId: string): Promise<void> {
  const { narrator } = user.scene;
  narrator.chapter('The user opens the dashboard');
  await user.vendor.addSampleData(arrayUserId);
  const sections = async (): Promise<Record<string, Section>> => {
    const answer = await user.call('GET', '/me/dashboard');
    user.scene.expectStatus(answer, 200);
    return answer.body as Record<string, Section>;
  };
  const whole = await sections();
  narrator.equal('the dashboard has its six sections', Object.keys(whole).sort(), SECTIONS);
  narrator.equal('no section failed', failedOf(whole), []);
  narrator.note("The vendor's credit scores fail once.");
  await user.vendor.fail({ route: 'credit-scores', fault: 'error', times: 1 });
  const partly = await sections();
  narrator.equal('only the section of the credit scores is missing', failedOf(partly), ['creditScoreHistory']);
  narrator.equal('the section contains the reason', partly.creditScoreHistory, { Err: 'provider unavailable' });
}

const failedOf = (sections: Record<string, Section>): string[] =>
  Object.entries(sections)
    .filter(([, section]) => !('Ok' in section))
    .map(([name]) => name);

async function readAlert(user: IdentityUser, arrayUserId: string): Promise<void> {
  const { narrator } = user.scene;
  narrator.chapter('An alert arrives, and the user reads it');
  const alertId = await user.vendor.addAlert(arrayUserId, { bureau: 'tui', class: 'COA' });
  const listed = async (): Promise<AlertItem | undefined> => {
    const answer = await user.call('GET', '/me/alerts?count=5');
    user.scene.expectStatus(answer, 200);
    return (answer.body.userAlerts as AlertItem[]).find((alert) => alert.alertId === alertId);
  };
  const unread = await listed();
  narrator.equal('the alert is listed as unread', [unread?.class, unread?.read], ['COA', false]);
  const details = await user.call('GET', `/me/alerts/tui/${alertId}/details`);
  user.scene.expectStatus(details, 200);
  narrator.check('the details of the alert have TransUnion’s form', 'creditAlert' in details.body, details.body);
  user.scene.expectStatus(await user.call('PUT', `/me/alerts/${alertId}/read`), 204);
  narrator.equal('the alert is then listed as read', (await listed())?.read, true);
  const unknown = await user.call('PUT', `/me/alerts/1/read`);
  narrator.equal('an unknown alert cannot be marked as read', unknown.status, 404);
}

async function followScans(user: IdentityUser): Promise<void> {
  const { narrator } = user.scene;
  narrator.chapter('Data brokers are scanned, and records are removed');
  const scans = await user.call('GET', '/me/scans');
  user.scene.expectStatus(scans, 200);
  const items = itemsOf(scans);
  narrator.check('some scans have ended and some have not', hasBoth(items.map(({ status }) => status)));
  const progress = await user.call('GET', '/me/scans/progress');
  user.scene.expectStatus(progress, 200);
  const totals = progress.body.totals as Progress;
  const sum = totals.notInitiated + totals.submitted + totals.confirmed + totals.verified;
  narrator.equal('every record is at one stage of its removal', sum, totals.totalRecords);
  narrator.check('some records are removed', totals.percentCompleted > 0 && totals.percentCompleted < 100, totals);
}

/** Returns the scans of an answer, whose body is a bare array. */
const itemsOf = ({ body }: Answer): { status: string }[] => body as unknown as { status: string }[];

const hasBoth = (statuses: string[]): boolean =>
  statuses.includes('completed') && statuses.some((status) => status === 'pending' || status === 'running');
