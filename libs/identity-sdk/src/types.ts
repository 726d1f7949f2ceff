import type { components, operations } from './generated/client-api.ts';

type Schemas = components['schemas'];
type QueryOf<Name extends keyof operations> = NonNullable<operations[Name]['parameters']['query']>;
type KeyOfEach<Union> = Union extends unknown ? keyof Union : never;

export type Profile = Schemas['ProfileStatus'];
/** The fields of a new profile. Without `version`, the platform uses 0. */
export type NewProfile = Omit<Schemas['CreateUserBody'], 'version'> &
  Partial<Pick<Schemas['CreateUserBody'], 'version'>>;
/** The changes of a profile. Omitted fields are not changed. An address must be complete. */
export type ProfileChanges = Schemas['ChangeUserBody'];
export type DeletedProfile = Schemas['DeletedUser'];
/** A token for the provider's embedded pages. */
export type IssuedToken = Schemas['IssuedTokenAnswer'];
/** The token of a new profile. Its fields are null when the provider returned no token: request one with `userToken`. */
export type UserToken = Schemas['UserTokenAnswer'];
export type Enrollment = Schemas['EnrollmentView'];
export type Migration = Schemas['MigrationAnswer'];
export type Alert = Schemas['AlertItemDto'];
export type CreditScore = Schemas['CreditScoreDto'];
export type FinancialAccountsStatus = Schemas['FinancialAccountsStatusDto'];
export type MonitorOverview = Schemas['MonitorOverviewDto'];
export type NeighborhoodWatchStatus = Schemas['NeighborhoodWatchStatusDto'];
export type Watch = Schemas['WatchDto'];
export type Scan = Schemas['ScanDto'];
export type ScansProgress = Schemas['ScansProgressDto'];
export type MockStatus = Schemas['MockStatusDto'];

/** Which page of a list of alerts to return. */
export type AlertPage = QueryOf<'listNeighborhoodWatchAlerts'>;
export type AlertFilter = QueryOf<'listAlerts'>;

/** The details of an alert, by bureau. */
export interface AlertDetails {
  readonly idp: Schemas['IdpAlertDetails'];
  readonly exp: Schemas['ExpAlertDetails'];
  readonly tui: Schemas['TuiAlertDetails'];
  readonly efx: Schemas['EfxAlertDetails'];
}
export type Bureau = keyof AlertDetails;
/** The details of an alert of bureau `B`; if the bureau is only known at run time, the union of all details. */
export type DetailsOf<B extends string> = AlertDetails[B extends Bureau ? B : Bureau];

/** The name of an error variant: the key inside `BadRequest`. */
export type ErrorVariant = KeyOfEach<Schemas['BadRequestVariant']>;

/** Why a section has no value. The API may add reasons; `string & {}` keeps the known reasons in an editor’s completion. */
export type SectionError = Schemas['SectionError'] | (string & {});

/** A section of the dashboard that was read. */
export interface Ok<T> {
  readonly ok: true;
  readonly value: T;
}

/** A section of the dashboard that could not be read, or is not in the user's plan. Other sections are not affected. */
export interface Err {
  readonly ok: false;
  readonly error: SectionError;
}

export type Section<T> = Ok<T> | Err;

export const isOk = <T>(section: Section<T>): section is Ok<T> => section.ok;
export const isErr = <T>(section: Section<T>): section is Err => !section.ok;

/** The dashboard. Show each section independently of the others. */
export interface Dashboard {
  readonly userAlerts: Section<Schemas['UserAlertsDto']>;
  readonly creditScoreHistory: Section<Schemas['CreditScoresDto']>;
  readonly dataRemovalProgress: Section<ScansProgress>;
  readonly monitorsOverview: Section<MonitorOverview>;
  readonly neighborhoodWatchStatus: Section<NeighborhoodWatchStatus>;
  readonly financialAccountsStatus: Section<FinancialAccountsStatus>;
}

/** The dashboard in the form in which the platform sends it. */
export type DashboardAnswer = Schemas['DashboardDto'];
