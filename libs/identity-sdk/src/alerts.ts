import type { CallOptions } from '../../../sdks/typescript/options.ts';
import type { Session } from './session.ts';
import type { Alert, AlertFilter, DetailsOf } from './types.ts';

/** The id of one alert, a list of ids, or `'all'`. */
export type AlertSelection = number | readonly number[] | 'all';

export class Alerts {
  constructor(private readonly session: Session) {}

  /** Returns a page of the alerts, newest first. */
  async list(filter: AlertFilter = {}, options?: CallOptions): Promise<Alert[]> {
    const call = { method: 'GET', path: '/me/alerts', query: filter, repeatable: 'always' } as const;
    return (await this.session.send<{ userAlerts: Alert[] }>(call, options)).userAlerts;
  }

  /**
   * Returns the details of a listed alert, in the format of the alert's bureau.
   *
   * @throws NotFoundError for an unknown alert. For a short time, an alert that was just pushed to the user is also
   *   unknown
   */
  async details<B extends string>(bureau: B, alertId: number, options?: CallOptions): Promise<DetailsOf<B>> {
    const path = `/me/alerts/${encodeURIComponent(bureau)}/${checkedId(alertId)}/details`;
    return this.session.send({ method: 'GET', path, repeatable: 'always' }, options);
  }

  /**
   * Marks alerts as read.
   * @throws NotFoundError for a single id that is not one of the user's alerts; the ids in a list are not checked
   */
  markRead(selection: AlertSelection, options?: CallOptions): Promise<void> {
    return this.mark('PUT', selection, options);
  }

  /** @throws as `markRead` */
  markUnread(selection: AlertSelection, options?: CallOptions): Promise<void> {
    return this.mark('DELETE', selection, options);
  }

  private async mark(method: 'PUT' | 'DELETE', selection: AlertSelection, options?: CallOptions): Promise<void> {
    if (typeof selection === 'number')
      return this.session.send(
        { method, path: `/me/alerts/${checkedId(selection)}/read`, repeatable: 'always' },
        options,
      );
    if (selection !== 'all' && !Array.isArray(selection))
      throw new TypeError("pass the id of an alert, a list of ids, or 'all'");
    const body = selection === 'all' ? undefined : { alertIds: selection.map(checkedId) };
    return this.session.send({ method, path: '/me/alerts/read', body, repeatable: 'always' }, options);
  }
}

/** Returns the id of an alert unchanged. @throws TypeError for a value that cannot be the id of an alert */
function checkedId(alertId: number): number {
  if (Number.isSafeInteger(alertId) && alertId > 0) return alertId;
  throw new TypeError('alertId must be the id of an alert');
}
