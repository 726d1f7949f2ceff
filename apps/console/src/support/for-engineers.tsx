import { Box } from '@mantine/core';
import type { ReactNode } from 'react';
import { supportTexts } from '../texts/support';
import { failureWords } from './words';

/** A text in the API's own words, which are exact but technical. It is folded, because support passes it on to an engineer. */
export const ForEngineers = ({ children }: { children: ReactNode }) => (
  <Box component="details" fz="xs" mt={4} style={{ overflowWrap: 'anywhere' }}>
    <summary style={{ cursor: 'pointer' }}>{supportTexts.forEngineers}</summary>
    <div>{children}</div>
  </Box>
);

/** Says in plain words what failed at the vendor. */
export const VendorFailures = ({ failures }: { failures: readonly string[] }) => (
  <>
    {failures.map(failureWords).join(' · ')}
    <ForEngineers>{failures.join(' · ')}</ForEngineers>
  </>
);
