import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense, useState } from 'react';
import { partnerApi } from '../api/clients';
import { queryClient } from '../api/query';
import { texts } from '../texts/common';
import { endSession, type Session } from './session';
import { signOut } from './sign-in';

const LeaveDialog = lazy(() => import('./leave-dialog'));

/** Ends the session, both in the console and at the issuer of its token. */
async function leave(session: Session): Promise<void> {
  queryClient.clear();
  if (session.kind === 'staff') return signOut();
  await partnerApi.DELETE('/api/v2/partner/portal-session').catch(() => undefined);
  endSession();
}

/** The button that ends the session. It asks a person at a partner to confirm, because the portal link cannot be opened again. */
export function SignOut({ session }: { session: Session }) {
  const [asking, { open, close }] = useDisclosure(false);
  const [leaving, setLeaving] = useState(false);
  const leaveNow = (): void => {
    setLeaving(true);
    void leave(session);
  };
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={session.kind === 'partner' ? open : leaveNow}>
        {texts.signOut}
      </Button>
      {asking && (
        <Suspense>
          <LeaveDialog leaving={leaving} leave={leaveNow} close={close} />
        </Suspense>
      )}
    </>
  );
}
