import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { webhookName } from '../../data/webhook-name.ts';
import type { InputOf } from '../../data/call.ts';
import { sentence } from '../../data/format.ts';
import { useAction, useApi } from '../../data/use-api.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Fault } from '../../parts/fault.tsx';
import { CheckField, SelectField, TextField } from '../../parts/field.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Sheet, SheetCancel } from '../../parts/sheet.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { say } from '../../parts/toasts.tsx';
import { Unsaved } from '../../parts/unsaved.tsx';
import type { Webhook } from './webhook.ts';

interface Fields {
  url: string;
  description: string;
  choice: 'all' | 'some';
  /** Values of the check boxes for event types, by type. */
  events: Record<string, boolean>;
}

type Body = InputOf<'registerWebhook'>['body'];

/** Form of a webhook. The secret of a new webhook is shown only once. */
export function WebhookForm({ webhook }: { webhook?: Webhook }) {
  const navigate = useNavigate();
  const types = useApi('listEventTypes', {});
  const { register, control, handleSubmit, formState } = useForm<Fields>({
    defaultValues: {
      url: webhook?.url ?? '',
      description: webhook?.description ?? '',
      choice: webhook === undefined || webhook.all_events ? 'all' : 'some',
      events: Object.fromEntries(webhook?.all_events ? [] : (webhook?.events ?? []).map(type => [type, true])),
    },
    mode: 'onTouched',
  });
  const { errors, isDirty } = formState;
  const [choice, chosen] = useWatch({ control, name: ['choice', 'events'] });
  const isSaved = useRef(false);
  const create = useAction('registerWebhook', ['listWebhooks'], () => {
    isSaved.current = true;
  });
  const change = useAction('updateWebhook', ['listWebhooks', 'getWebhook'], saved => {
    isSaved.current = true;
    say(`Endpoint “${webhookName(saved)}” saved`);
    void navigate({ to: `/webhooks/${saved.id}`, search: (previous: Record<string, string>) => previous });
  });
  const lacksTypes = choice === 'some' && !Object.values(chosen).some(Boolean);
  const save = handleSubmit(fields => {
    if (lacksTypes) return;
    const body = bodyOf(fields);
    if (webhook === undefined) create.mutate({ body });
    else change.mutate({ id: webhook.id, body });
  });
  if (create.data) return <Registered webhook={create.data} secret={create.data.signing_secret} />;
  return (
    <Sheet
      kind={webhook === undefined ? 'Webhook' : 'Edit webhook'}
      over={webhook === undefined ? '/webhooks' : `/webhooks/${webhook.id}`}
      title={<bdi>{webhook === undefined ? 'Register endpoint' : webhookName(webhook)}</bdi>}
      actions={
        <>
          <Button kind="primary" busy={create.isPending || change.isPending} onClick={() => void save()}>
            {webhook === undefined ? 'Register' : 'Save'}
          </Button>
          <SheetCancel />
          <Fault error={create.error ?? change.error} />
        </>
      }
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={event => {
          event.preventDefault();
          void save();
        }}
      >
        <TextField
          type="url"
          label="URL"
          placeholder="https://siem.example.com/llm-events"
          hint="Must respond with a 2xx status within 10 seconds. Redirects are not followed."
          maxLength={2048}
          error={errors.url?.message}
          {...register('url', {
            validate: value => /^https:\/\/\S+$/.test(value.trim()) || 'Enter a URL that starts with https://',
          })}
        />
        <TextField
          label="Description"
          optional
          hint="For example, the system behind it."
          maxLength={1000}
          {...register('description')}
        />
        <SelectField
          label="Events"
          options={[
            ['all', 'All, including future types'],
            ['some', 'Selected types'],
          ]}
          error={lacksTypes && formState.isSubmitted ? 'Choose at least one event type.' : undefined}
          {...register('choice')}
        />
        {choice === 'some' && (
          <fieldset className="flex flex-col gap-3">
            <legend className="sr-only">Event types</legend>
            {types.data?.items
              .filter(({ type }) => type !== 'ping')
              .map(({ type, description }) => (
                <CheckField
                  key={type}
                  label={sentence(type)}
                  hint={description}
                  {...register(`events.${type}` as const)}
                />
              ))}
            <Fault error={types.error} />
          </fieldset>
        )}
        <button type="submit" hidden aria-hidden tabIndex={-1} />
      </form>
      <Unsaved isDirty={() => isDirty && !isSaved.current} />
    </Sheet>
  );
}

function Registered({ webhook, secret }: { webhook: Webhook; secret: string }) {
  return (
    <Sheet
      kind="New webhook"
      over="/webhooks"
      title={<bdi>{webhookName(webhook)}</bdi>}
      actions={
        <PageLink to={`/webhooks/${webhook.id}`} keep className={buttonClass('primary')}>
          I have copied it, view the endpoint
        </PageLink>
      }
    >
      <p>Endpoint registered. Events are sent to it from now on.</p>
      <ShownOnce what="signing secret" secret={secret}>
        Your receiver needs it to verify the signature of each delivery. If you lose it, rotate the secret.
      </ShownOnce>
      <p className="text-muted">Next, send a ping to test the endpoint.</p>
    </Sheet>
  );
}

function bodyOf({ url, description, choice, events }: Fields): Body {
  const types = Object.entries(events).filter(([, isChosen]) => isChosen);
  return {
    url: url.trim(),
    description: description.trim() || null,
    // The names come from the list of types that the API returns.
    events: choice === 'all' ? null : (types.map(([type]) => type) as NonNullable<Body['events']>),
  };
}
