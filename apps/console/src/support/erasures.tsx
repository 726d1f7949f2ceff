import { Title } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { answerOf, supportApi } from '../api/clients';
import { AUDITED } from '../api/query';
import { Copyable } from '../components/copyable';
import { DataTable } from '../components/data-table';
import { Loaded } from '../components/loaded';
import { Time } from '../components/time';
import { texts } from '../texts/common';
import { supportTexts } from '../texts/support';

const t = supportTexts.erasures;

export const erasuresOf = (krn: string) =>
  queryOptions({
    queryKey: ['user', krn, 'erasures'],
    queryFn: () =>
      answerOf(supportApi.GET('/idp/support/users/{user_id}/erasures', { params: { path: { user_id: krn } } })),
    ...AUDITED,
  });

/** Lists the erasures of a user that support has requested, each with its receipt if it succeeded. Shows nothing if there are none. */
export function Erasures({ krn }: { krn: string }) {
  const query = useQuery(erasuresOf(krn));
  return (
    <Loaded query={query} lines={1}>
      {({ items }) =>
        items.length > 0 && (
          <section aria-label={t.title}>
            <Title order={2} mb="xs">
              {t.title}
            </Title>
            <DataTable
              label={t.title}
              rows={items}
              idOf={({ request_id: id, requested_at: at }) => `${id} ${at}`}
              columns={[
                { title: supportTexts.trail.at, cell: ({ requested_at: at }) => <Time value={at} /> },
                { title: supportTexts.trail.actor, cell: ({ actor }) => actor },
                { title: supportTexts.trail.why, cell: ({ reason }) => reason ?? texts.none },
                {
                  title: t.text,
                  cell: ({ erased_at: at, request_id: id }) =>
                    at ? <Copyable value={t.receipt(krn, at, id)} /> : t.notErased,
                },
              ]}
            />
          </section>
        )
      }
    </Loaded>
  );
}
