import { Alert, Code, Text } from '@mantine/core';
import { useState } from 'react';
import { useAct } from '../api/use-act';
import { ConfirmButton } from '../components/dialog';
import type { components } from '../generated/partner-api';
import { deliveryTexts } from '../texts/deliveries';
import { partnersTexts } from '../texts/partners';
import { detailOf, outcomeOf } from './outcome';

const t = partnersTexts.endpoint;
type Result = components['schemas']['PostbackTestDto'];

function textOf({ delivered, status, latencyMs, error }: Result): string {
  if (delivered && status !== null) return t.tested(String(status), latencyMs);
  return t.testFailed(outcomeOf({ status, error }), latencyMs);
}

/** A button that sends a sample postback and shows the answer below the row of buttons. This component must be the last element of a `Group`. */
export function TestSend({ send }: { send: () => Promise<Result> }) {
  const [result, setResult] = useState<Result>();
  const act = useAct(send, { changes: ['audit'], onDone: setResult });
  return (
    <>
      <ConfirmButton title={t.test} action={t.test} consequence={t.testConsequence} act={act} />
      {result && (
        <Alert color={result.delivered ? 'teal' : 'red'} variant="light" role="status" flex="1 0 100%">
          <Text size="sm">{textOf(result)}</Text>
          {!result.delivered && (
            <Text size="xs" c="dimmed">
              {detailOf(result)} {deliveryTexts.forDevelopers}
            </Text>
          )}
          {result.response && (
            <Code block tabIndex={0} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {result.response}
            </Code>
          )}
        </Alert>
      )}
    </>
  );
}
