import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import type { AnswerOf, InputOf, Operation } from '../../data/call.ts';
import { sentence } from '../../data/format.ts';
import { useAction } from '../../data/use-api.ts';
import { Button } from '../../parts/button.tsx';
import { Fault } from '../../parts/fault.tsx';
import { CheckField, SelectField, TextArea, TextField } from '../../parts/field.tsx';
import { Section } from '../../parts/page.tsx';
import { Sheet, SheetCancel } from '../../parts/sheet.tsx';
import { say } from '../../parts/toasts.tsx';
import { Unsaved } from '../../parts/unsaved.tsx';
import { ConditionBuilder } from './condition-builder.tsx';
import { isSame, type Conditions } from '../../data/conditions.ts';
import { TrySimulation } from './simulation.tsx';

/** The content of a policy, in the API's format. */
export type Content = AnswerOf<'getPolicyVersion'>['content'];

interface Fields {
  name: string;
  description: string;
  model: string;
  action: Content['action'];
  severity: NonNullable<Content['severity']> | '';
  enabled: boolean;
}

const ACTIONS = [
  ['block', 'Block: refuse the call'],
  ['require_approval', 'Require approval: refuse until approved'],
  ['alert', 'Alert: allow, and record a violation'],
  ['allow', 'Allow'],
] as const;

const OWN_SEVERITY = { block: 'high', require_approval: 'none', alert: 'medium', allow: 'none' };

/**
 * Initial content of a new policy. Its action is an alert, so that a policy that is saved in haste does not block
 * anybody.
 */
export const BLANK: Content = {
  name: '',
  description: null,
  model: null,
  action: 'alert',
  conditions: {},
  enabled: true,
  severity: null,
};

const TOUCHED: readonly Operation[] = ['getPolicy', 'listPolicies', 'listPolicyVersions', 'getPolicyVersion'];

/** Form of a policy, with a simulation. Without an id, it creates a policy. */
export function PolicyForm({ id, content }: { id?: string; content: Content }) {
  const navigate = useNavigate();
  const form = useForm<Fields>({ defaultValues: fieldsOf(content), mode: 'onTouched' });
  const { register, control, formState } = form;
  const [conditions, setConditions] = useState<Conditions | undefined>(content.conditions);
  const isSaved = useRef(false);
  const fields = useWatch({ control });
  const leave = ({ id, name }: AnswerOf<'getPolicy'>): void => {
    isSaved.current = true;
    say(`Policy “${name}” saved`);
    void navigate({ to: `/policies/${id}`, search: (previous: Record<string, string>) => previous });
  };
  const create = useAction('createPolicy', TOUCHED, leave);
  const update = useAction('updatePolicy', TOUCHED, leave);

  const body = (): InputOf<'createPolicy'>['body'] | undefined =>
    conditions === undefined ? undefined : { ...bodyOf(form.getValues()), conditions };
  const changed = (): InputOf<'updatePolicy'>['body'] | undefined => {
    const all = body();
    return all && Object.fromEntries(Object.entries(all).filter(([name, value]) => !isKept(content, name, value)));
  };
  const save = form.handleSubmit(() => {
    const [all, some] = [body(), changed()];
    if (id === undefined) {
      if (all) create.mutate({ body: all });
    } else if (some) update.mutate({ id, body: some });
  });
  const isDirty = (): boolean => {
    const some = changed();
    return !isSaved.current && (some === undefined || Object.keys(some).length > 0);
  };
  const draft = (): { policy: InputOf<'updatePolicy'>['body']; policy_id?: string } | undefined => {
    const policy = body();
    if (!policy) return undefined;
    // A policy can be simulated before it has a name.
    return id === undefined ? { policy: { ...policy, name: policy.name || 'Draft' } } : { policy, policy_id: id };
  };
  const action = fields.action ?? content.action;
  return (
    <Sheet
      wide
      kind={id !== undefined ? 'Edit policy' : fields.name ? 'New policy' : 'Policy'}
      over={id === undefined ? '/policies' : `/policies/${id}`}
      title={<bdi>{fields.name || 'New policy'}</bdi>}
      actions={
        <>
          <Button kind="primary" busy={create.isPending || update.isPending} onClick={() => void save()}>
            {id === undefined ? 'Create policy' : 'Save changes'}
          </Button>
          <SheetCancel />
          {conditions === undefined && <span className="text-small text-critical">Fix the conditions first.</span>}
          <Fault error={create.error ?? update.error} />
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
          label="Name"
          dir="auto"
          maxLength={255}
          error={formState.errors.name?.message}
          {...register('name', { validate: name => name.trim() !== '' || 'Enter a name.' })}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField label="When it matches" options={ACTIONS} {...register('action')} />
          <TextField
            label="Models"
            optional
            placeholder="All models"
            maxLength={255}
            hint="A model name, or a pattern such as gpt-4*. Leave empty for all models."
            className="[&_input]:font-mono [&_input]:text-small"
            {...register('model')}
          />
        </div>
        <ConditionBuilder initial={content.conditions} onChange={setConditions} />
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            label="Violation severity"
            options={[
              ['', `Default for the action (${OWN_SEVERITY[action]})`],
              ...(['critical', 'high', 'medium', 'low'] as const).map(each => [each, sentence(each)] as const),
            ]}
            {...register('severity')}
          />
          <CheckField
            label="Enabled"
            hint="A disabled policy is kept but does not apply."
            className="sm:pt-6"
            {...register('enabled')}
          />
        </div>
        <TextArea label="Description" optional dir="auto" maxLength={65_536} {...register('description')} />
        <button type="submit" hidden aria-hidden tabIndex={-1} />
      </form>
      <TrySimulation draft={draft} stands={JSON.stringify([fields, conditions])} />
      {id === undefined && <FirstTime />}
      <Unsaved isDirty={isDirty} />
    </Sheet>
  );
}

function FirstTime() {
  return (
    <Section title="Not sure?">
      <p className="pt-2 text-muted">
        Keep “Alert” at first: calls continue, and each match appears under Incidents. Switch to “Block” once it matches
        what you expect.
      </p>
    </Section>
  );
}

function fieldsOf({ name, description, model, action, severity, enabled }: Content): Fields {
  return { name, description: description ?? '', model: model ?? '', action, severity: severity ?? '', enabled };
}

function bodyOf({ name, description, model, action, severity, enabled }: Fields): Omit<Content, 'conditions'> {
  return {
    ...{ name, action, enabled },
    description: description === '' ? null : description,
    model: model.trim() === '' ? null : model,
    severity: severity === '' ? null : severity,
  };
}

function isKept(content: Content, name: string, value: unknown): boolean {
  if (name === 'conditions') return isSame(content.conditions, value as Conditions);
  return content[name as keyof Content] === value;
}
