import { useQuery } from '@tanstack/react-query';
import { answerOf, answerOrNull, managerApi } from '../api/clients';
import { LIVE_MS } from '../api/query';
import type { Wanted } from '../figures/figures-query';

export type Environment = 'live' | 'test';

/** Returns the query that loads a partner. No request is sent while the id is empty. */
export const usePartner = (id: string) =>
  useQuery({
    queryKey: ['partner', id],
    queryFn: () => answerOf(managerApi.GET('/admin/partners/{id}', { params: { path: { id } } })),
    enabled: id !== '',
  });

/** Returns the query that loads the state of a partner's endpoint: null if the partner has none. */
export const usePostback = (id: string, environment: Environment) =>
  useQuery({
    queryKey: ['postback', id, environment],
    queryFn: () => postbackOf(id, environment),
    refetchInterval: LIVE_MS,
  });

/** Loads the state of a partner's endpoint: null if the partner has none. */
export const postbackOf = (id: string, environment: Environment) =>
  answerOrNull(managerApi.GET('/admin/partners/{id}/postback', { params: { path: { id }, query: { environment } } }));

/** Returns a function that loads the figures of one partner, or of all partners. */
export const loadFigures = (environment: Environment, partnerId?: string) => (wanted: Wanted) =>
  answerOf(managerApi.GET('/admin/statistics', { params: { query: { ...wanted, environment, partnerId } } }));
