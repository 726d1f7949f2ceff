import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, managerApi } from '../api/clients';
import { type FilterProps, SearchFilter } from '../components/list-page';
import { given } from '../components/use-filters';
import { usePartner } from './queries';

/** A filter by partner. The API searches the partners, so any partner can be found. */
export function PartnerFilter(filter: FilterProps) {
  const [typed, setTyped] = useState('');
  const [settled] = useDebouncedValue(typed.trim(), 350);
  const chosen = usePartner(filter.value).data;
  // The field contains the name of the chosen partner. The manager has not typed it, so it does not limit the choices.
  const search = given(settled === chosen?.name ? '' : settled);
  const { data } = useQuery({
    queryKey: ['partners', 'choices', search],
    queryFn: () => answerOf(managerApi.GET('/admin/partners', { params: { query: { search, limit: 50 } } })),
    placeholderData: keepPreviousData,
  });
  const partners = [...(chosen ? [chosen] : []), ...(data?.items ?? [])];
  return (
    <SearchFilter
      {...filter}
      choices={Object.fromEntries(partners.map(({ id, name }) => [id, name]))}
      onSearch={setTyped}
    />
  );
}
