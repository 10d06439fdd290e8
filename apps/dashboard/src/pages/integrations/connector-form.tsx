import { useNavigate } from '@tanstack/react-router';
import { useRef, useState, type ReactNode } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import type { AnswerOf } from '../../data/call.ts';
import { useAction } from '../../data/use-api.ts';
import { Button } from '../../parts/button.tsx';
import { Fault } from '../../parts/fault.tsx';
import { TextField } from '../../parts/field.tsx';
import { Section } from '../../parts/page.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Sheet, SheetCancel } from '../../parts/sheet.tsx';
import { say } from '../../parts/toasts.tsx';
import { Unsaved } from '../../parts/unsaved.tsx';
import type { Connector } from './connectors.tsx';
import { entriesOf, routingOf } from './routing-entries.ts';
import { RoutingForm } from './routing-form.tsx';
import { fieldsOf, nested, textOf, valueAt, valueOf, type SchemaField } from './schema-fields.ts';
import { setsOf } from './schema-sets.ts';
import { SchemaForm, type Entries, type SchemaEntries } from './schema-form.tsx';
import { TemplatePreview } from './template-preview.tsx';

type Kind = AnswerOf<'listConnectorKinds'>['items'][number];

/** Form to add a connector: choose the platform, then fill in the form that its schemas define. */
export function NewConnectorForm({ kinds }: { kinds: readonly Kind[] }) {
  const [chosen, setChosen] = useState(kinds[0]?.kind ?? '');
  const kind = kinds.find(each => each.kind === chosen);
  if (!kind) return null;
  return (
    <ConnectorForm
      key={kind.kind}
      kind={kind}
      choice={
        <Segments
          label="Platform"
          value={chosen}
          options={kinds.map(({ kind, title }) => [kind, title] as const)}
          onChange={setChosen}
          inRows
        />
      }
    />
  );
}

interface ConnectorFormProps {
  kind: Kind;
  /** The connector to edit. */
  connector?: Connector;
  /** The select that chooses the platform. */
  choice?: ReactNode;
}

/** The form of a connector, made from the schemas of its platform. */
export function ConnectorForm({ kind, connector, choice }: ConnectorFormProps) {
  const navigate = useNavigate();
  const settings = fieldsOf(kind.settings_schema);
  const secrets = fieldsOf(kind.secrets_schema);
  const { register, handleSubmit, formState, control } = useForm<SchemaEntries>({
    defaultValues: {
      name: connector?.name ?? '',
      settings: initialOf(settings, connector?.settings),
      secrets: initialOf(secrets),
      routing: entriesOf(connector?.routing),
    },
    mode: 'onTouched',
  });
  const { errors, isDirty } = formState;
  const [title, text] = useWatch({ control, name: ['settings.title_template', 'settings.text_template'] });
  const isSaved = useRef(false);
  const done = ({ id, name }: Connector): void => {
    isSaved.current = true;
    say(`Connector “${name}” saved`, 'Test it next: the test opens one low-severity ticket.');
    void navigate({ to: `/integrations/${id}`, search: (previous: Record<string, string>) => previous });
  };
  const create = useAction('createConnector', ['listConnectors', 'simulateTicketRoute'], done);
  const change = useAction('updateConnector', ['listConnectors', 'getConnector', 'simulateTicketRoute'], done);
  const save = handleSubmit(entries => {
    const body = {
      name: entries.name.trim(),
      settings: valuesOf(settings, entries.settings),
      secrets: valuesOf(secrets, entries.secrets),
      routing: routingOf(entries.routing),
    };
    if (connector) change.mutate({ id: connector.id, body });
    else create.mutate({ body: { ...body, kind: kind.kind } });
  });
  return (
    <Sheet
      kind={connector ? `Edit ${kind.title}` : 'Ticket platform'}
      over={connector ? `/integrations/${connector.id}` : '/integrations'}
      title={<bdi>{connector?.name ?? `Connect ${kind.title}`}</bdi>}
      actions={
        <>
          <Button kind="primary" busy={create.isPending || change.isPending} onClick={() => void save()}>
            {connector ? 'Save' : 'Connect'}
          </Button>
          <SheetCancel />
          <Fault error={create.error ?? change.error} />
        </>
      }
    >
      {choice !== undefined && <div>{choice}</div>}
      <form
        className="flex flex-col gap-6"
        autoComplete="off"
        onSubmit={event => {
          event.preventDefault();
          void save();
        }}
      >
        <TextField
          label="Name"
          hint="A unique name for this connector."
          maxLength={255}
          error={errors.name?.message}
          {...register('name', { validate: value => value.trim() !== '' || 'Enter a name.' })}
        />
        <Section title="Settings">
          <div className="flex flex-col gap-4 pt-3">
            <SchemaForm of="settings" fields={settings} {...{ register, errors }} />
            <TemplatePreview title={entryText(title)} text={entryText(text)} />
          </div>
        </Section>
        <Section title="Routing" aside="Which incidents get a ticket">
          <div className="flex flex-col gap-4 pt-3">
            <RoutingForm
              chosen={connector?.routing.policies ?? []}
              severity={{
                label: 'Minimum severity',
                hint: 'Opens tickets for incidents of this severity or a worse one.',
                entry: register('routing.min_severity'),
              }}
              policies={{
                label: 'Policies',
                hint: 'Opens tickets for violations of these policies only.',
                entry: register('routing.policies'),
              }}
              departments={{
                label: 'Departments',
                hint: 'Opens tickets for incidents about people of these departments only.',
                entry: register('routing.departments'),
              }}
            />
          </div>
        </Section>
        <Section title="Credentials" aside="Stored encrypted, never shown again">
          <div className="flex flex-col gap-4 pt-3">
            {connector && (
              <p className="text-muted">
                Leave a field empty to keep its value. If the host changes, enter all credentials again.
              </p>
            )}
            <SchemaForm
              of="secrets"
              fields={secrets}
              sets={setsOf(kind.secrets_schema)}
              {...(connector && { kept: connector.secret_names })}
              {...{ register, errors }}
            />
          </div>
        </Section>
        <button type="submit" hidden aria-hidden tabIndex={-1} />
      </form>
      <Unsaved isDirty={() => isDirty && !isSaved.current} />
    </Sheet>
  );
}

function initialOf(fields: readonly SchemaField[], values: Record<string, unknown> = {}): Entries {
  const entries = fields.map(field => {
    const value = valueAt(values, field);
    if (value === undefined || value === null) return [field, field.initial] as const;
    return [field, field.type === 'boolean' ? value === true : textOf(value)] as const;
  });
  // The values of all fields are texts and booleans.
  return nested(entries) as Entries;
}

function valuesOf(fields: readonly SchemaField[], entries: Entries): Record<string, unknown> {
  return nested(fields.map(field => [field, valueOf(field, entryAt(entries, field))] as const));
}

function entryAt(entries: Entries, field: SchemaField): string | boolean | undefined {
  const entry = valueAt(entries, field);
  return typeof entry === 'string' || typeof entry === 'boolean' ? entry : undefined;
}

function entryText(entry: unknown): string {
  return typeof entry === 'string' ? entry : '';
}
