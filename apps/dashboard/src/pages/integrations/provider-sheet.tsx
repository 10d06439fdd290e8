import { useNavigate, useParams } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useMay } from '../../data/scopes.ts';
import { useAction, useApi } from '../../data/use-api.ts';
import { pageAddress } from '../../data/address.ts';
import { Ask } from '../../parts/ask.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyText } from '../../parts/copy-text.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Fault } from '../../parts/fault.tsx';
import { CheckField, SelectField, TextField } from '../../parts/field.tsx';
import { Sheet, SheetCancel } from '../../parts/sheet.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';
import { Unsaved } from '../../parts/unsaved.tsx';
import { KINDS, type Provider } from './providers.tsx';

/** Sheet to add a provider of the gateway. */
export function NewProviderSheet() {
  return <ProviderForm />;
}

/** Sheet of one provider of the gateway: its address, and whether a key is stored. */
export function ProviderSheet() {
  const { name = '' } = useParams({ strict: false });
  const { data, error, refetch } = useApi('getGatewayProvider', { name });
  if (data) return <ProviderForm key={name} provider={data} />;
  return (
    <Sheet kind="Gateway provider" over="/integrations" title={<bdi>{name}</bdi>}>
      {error ? <Failure error={error} onRetry={() => void refetch()} /> : <Skeleton lines={4} />}
    </Sheet>
  );
}

interface Fields {
  name: string;
  kind: Provider['kind'];
  base_url: string;
  api_key: string;
  active: boolean;
}

function ProviderForm({ provider }: { provider?: Provider }) {
  const navigate = useNavigate();
  const mayWrite = useMay('gateway:write');
  const [isAsking, setAsking] = useState(false);
  const isSaved = useRef(false);
  const { register, handleSubmit, formState } = useForm<Fields>({
    defaultValues: {
      name: provider?.name ?? '',
      kind: provider?.kind ?? 'openai',
      base_url: provider?.base_url ?? 'https://api.openai.com',
      api_key: '',
      active: provider?.active ?? true,
    },
    mode: 'onTouched',
  });
  const { errors, isDirty } = formState;
  const leave = (): void => {
    isSaved.current = true;
    void navigate({ to: '/integrations', search: (previous: Record<string, string>) => previous });
  };
  const put = useAction('putGatewayProvider', ['listGatewayProviders', 'getGatewayProvider'], ({ name }) => {
    say(`Provider ${name} saved`);
    leave();
  });
  const remove = useAction('deleteGatewayProvider', ['listGatewayProviders'], () => {
    say(`Provider ${provider?.name} deleted`);
    leave();
  });
  const save = handleSubmit(({ name, kind, base_url, api_key, active }) =>
    put.mutate({
      name: name.trim(),
      body: {
        kind,
        base_url: base_url.trim(),
        active,
        ...(api_key.trim() !== '' && { secrets: { api_key: api_key.trim() } }),
      },
    }),
  );
  return (
    <Sheet
      kind="Gateway provider"
      over="/integrations"
      title={<bdi>{provider?.name ?? 'Add provider'}</bdi>}
      actions={
        mayWrite && (
          <>
            <Button kind="primary" busy={put.isPending} onClick={() => void save()}>
              {provider ? 'Save changes' : 'Add provider'}
            </Button>
            <SheetCancel />
            {provider && (
              <Button kind="danger" icon={Trash2} className="ml-auto" onClick={() => setAsking(true)}>
                Delete…
              </Button>
            )}
            <Fault error={put.error} />
          </>
        )
      }
    >
      {provider && (
        <Facts
          facts={[
            [
              'Gateway URL',
              <CopyText key="call" text={pageAddress(`gateway/${provider.name}/v1`)} what="gateway URL" />,
            ],
            [
              'Key',
              provider.api_key_set_at === null ? (
                provider.has_api_key ? (
                  'Stored'
                ) : (
                  'None'
                )
              ) : (
                <span key="key">
                  stored since <Time at={provider.api_key_set_at} />
                </span>
              ),
            ],
          ]}
        />
      )}
      <form
        className="flex flex-col gap-4"
        autoComplete="off"
        onSubmit={event => {
          event.preventDefault();
          void save();
        }}
      >
        <fieldset disabled={!mayWrite} className="contents">
          {!provider && (
            <TextField
              label="Name"
              hint="Part of the gateway URL: /gateway/name/v1/…"
              error={errors.name?.message}
              {...register('name', { validate: value => value.trim() !== '' || 'Enter a name.' })}
            />
          )}
          <SelectField label="Kind" options={Object.entries(KINDS)} {...register('kind')} />
          <TextField
            label="Base URL"
            hint="The provider’s root URL, without /v1."
            maxLength={2048}
            error={errors.base_url?.message}
            {...register('base_url', {
              validate: value => /^https?:\/\/\S+$/.test(value.trim()) || 'Enter a URL such as https://api.openai.com',
            })}
          />
          <TextField
            type="password"
            label="API key"
            optional
            autoComplete="new-password"
            maxLength={4096}
            hint="Stored encrypted, sent to this URL only and never shown. If the URL changes, enter it again."
            {...(provider?.has_api_key && { placeholder: 'Stored. Enter a new value to replace it.' })}
            {...register('api_key')}
          />
          <CheckField label="Active" hint="Calls to an inactive provider get 404." {...register('active')} />
        </fieldset>
        <button type="submit" hidden aria-hidden tabIndex={-1} />
      </form>
      {isAsking && provider && (
        <Ask
          open
          onClose={() => setAsking(false)}
          title={`Delete “${provider.name}”?`}
          act="Delete provider"
          danger
          busy={remove.isPending}
          error={remove.error}
          onAct={() => remove.mutate({ name: provider.name })}
        >
          <p>Its API key is deleted, and calls to it get 404.</p>
        </Ask>
      )}
      <Unsaved isDirty={() => isDirty && !isSaved.current} />
    </Sheet>
  );
}
