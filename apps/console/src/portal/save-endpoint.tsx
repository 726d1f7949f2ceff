import { Input, PasswordInput, SegmentedControl, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { answerOf, answerOrNull, partnerApi } from '../api/clients';
import { ApiError, refusalOf } from '../api/problem';
import { useAct } from '../api/use-act';
import { Dialog } from '../components/dialog';
import type { components } from '../generated/partner-api';
import { portalTexts } from '../texts/portal';

const t = portalTexts.endpoint;
type Body = components['schemas']['SavePostbackBody'];

interface SaveEndpointProps {
  readonly endpoint: components['schemas']['PostbackConfiguration'] | null;
  readonly onClose: () => void;
  readonly onSecret: (secret: string) => void;
}

/** The texts of the dialog, by what saving does to the endpoint. */
const SAID = {
  setUp: {
    title: t.setUp,
    consequence: `${t.consequence} ${t.secretNext}`,
    saved: t.saved,
    conflict: t.setUpMeanwhile,
  },
  enable: {
    title: t.enable,
    consequence: `${t.enables} ${t.consequence}`,
    saved: t.savedEnabled,
    conflict: t.changedMeanwhile,
  },
  change: { title: t.change, consequence: t.consequence, saved: t.saved, conflict: t.changedMeanwhile },
};

function effectOn(endpoint: SaveEndpointProps['endpoint']): keyof typeof SAID {
  if (endpoint === null) return 'setUp';
  return endpoint.status === 'disabled' ? 'enable' : 'change';
}

/** Returns a text that changes whenever the endpoint is saved, enabled or disabled. Disabling changes only the status, and not `updatedAt`. */
const versionOf = (endpoint: SaveEndpointProps['endpoint']): string => `${endpoint?.updatedAt} ${endpoint?.status}`;

/** A dialog that sets up, changes or enables the endpoint. For a new endpoint, a signing secret is created and shown once. */
export function SaveEndpoint({ endpoint: shown, onClose, onSecret }: SaveEndpointProps) {
  // The endpoint loads again while the dialog is open, but the dialog must describe the endpoint as it was when the dialog was opened.
  const [endpoint] = useState(shown);
  const { title, consequence, saved, conflict } = SAID[effectOn(endpoint)];
  const form = useForm<{ url: string; authMethod: string; key: string; notifyClosures: boolean }>({
    initialValues: {
      url: endpoint?.url ?? '',
      authMethod: endpoint?.authMethod ?? 'Bearer',
      key: '',
      notifyClosures: endpoint?.notifyClosures ?? false,
    },
    validate: {
      url: (url) => (URL.canParse(url.trim()) ? null : t.urlRequired),
      key: (key, { authMethod }) => (key === '' && authMethod !== endpoint?.authMethod ? t.keyRequired : null),
    },
  });
  const save = async (body: Body) => {
    // Refuses to save if the endpoint has changed since the dialog was opened. The API would otherwise combine the URL of the form with a
    // newer stored key.
    const stored = await answerOrNull(partnerApi.GET('/api/v2/partner/postback'));
    if (versionOf(stored) !== versionOf(endpoint)) throw new ApiError(conflict, 409, 'endpoint_changed', null);
    const { signingSecret } = await answerOf(partnerApi.POST('/api/v2/partner/postback', { body }));
    return signingSecret;
  };
  const act = useAct(save, {
    changes: ['postback', 'deliveries'],
    done: () => saved,
    onDone: (secret) => secret && onSecret(secret),
    reloadsAfterFailure: true,
  });
  // The error is hidden as soon as the user changes the refused URL.
  const urlRefusal = form.values.url.trim() === act.variables?.url ? refusalOf(act.error, 'url') : undefined;
  const keyRefusal = refusalOf(act.error, 'key');
  const inputOf = (): { input: Body } | undefined => {
    if (form.validate().hasErrors) return undefined;
    const { url, authMethod, key, notifyClosures } = form.values;
    const input = { url: url.trim(), authMethod: authMethod as Body['authMethod'], notifyClosures };
    return { input: { ...input, ...(key && { key }) } };
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      title={title}
      consequence={consequence}
      action={title}
      act={act}
      inputOf={inputOf}
      shown={['url', 'key']}
    >
      <TextInput
        label={t.url}
        description={t.urlHint}
        required
        inputMode="url"
        {...form.getInputProps('url')}
        error={form.errors.url ?? (urlRefusal && (t.urlProblems[urlRefusal] ?? urlRefusal))}
      />
      <Input.Wrapper label={t.auth} labelElement="div">
        <SegmentedControl
          fullWidth
          aria-label={t.auth}
          data={['Bearer', 'Basic']}
          {...form.getInputProps('authMethod')}
        />
      </Input.Wrapper>
      <PasswordInput
        label={t.key}
        withAsterisk={endpoint === null}
        description={endpoint === null ? t.keyHint : t.keyHintChange}
        autoComplete="off"
        {...form.getInputProps('key')}
        error={form.errors.key ?? (keyRefusal && (t.keyProblems[keyRefusal] ?? keyRefusal))}
      />
      <Switch
        label={t.notifyClosures}
        description={t.notifyClosuresHint}
        {...form.getInputProps('notifyClosures', { type: 'checkbox' })}
      />
    </Dialog>
  );
}
