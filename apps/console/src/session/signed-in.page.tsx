import { Center, Loader, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { Empty } from '../components/empty';
import { Link } from '../components/link';
import { sessionTexts } from '../texts/session';
import { finishSignIn } from './sign-in';

/** The page to which the provider returns. It processes the provider's answer, and continues where the user was. */
export default function SignedInPage() {
  const navigate = useNavigate();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    finishSignIn().then(
      (returnTo) => returnTo && navigate(returnTo, { replace: true }),
      (error: unknown) => setFailure(error instanceof Error ? error.message : String(error)),
    );
  }, [navigate]);
  return (
    <Center component="main" id="content" mih="60vh" p="md">
      {failure === undefined ? (
        <Stack align="center" role="status">
          <Loader aria-hidden />
          <Text>{sessionTexts.returning}</Text>
        </Stack>
      ) : (
        <Empty title={sessionTexts.failed} action={<Link to="/">{sessionTexts.again}</Link>}>
          {failure}
        </Empty>
      )}
    </Center>
  );
}
