import { Stack } from '@mantine/core';
import { Figures } from '../figures/figures';
import type { components } from '../generated/manager-api';
import { partnersTexts as t } from '../texts/partners';
import { useEnvironment } from './environment-choice';
import { loadFigures } from './queries';

/** The sales figures of a partner. */
export default function PartnerFigures({ partner: { id } }: { partner: components['schemas']['Partner'] }) {
  const [environment, choice] = useEnvironment();
  return (
    <Stack>
      <div>{choice}</div>
      <Figures of={[id, environment]} load={loadFigures(environment, id)} whenEmpty={t.whenEmpty} />
    </Stack>
  );
}
