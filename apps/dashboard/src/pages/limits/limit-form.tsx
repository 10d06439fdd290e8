import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { Controller, useForm, useWatch } from 'react-hook-form';
import type { AnswerOf, InputOf, Operation } from '../../data/call.ts';
import { useAction, type ItemOf } from '../../data/use-api.ts';
import { Button } from '../../parts/button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Fault } from '../../parts/fault.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { OfWhom } from '../../parts/of-whom.tsx';
import { PersonField } from '../../parts/person-field.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { say } from '../../parts/toasts.tsx';
import { Unsaved } from '../../parts/unsaved.tsx';

type Limit = ItemOf<'listLimits'>;

interface Fields {
  name: string;
  scope: 'organization' | 'department' | 'user' | 'model';
  department: string;
  user_id: string;
  model: string;
  split: NonNullable<Limit['split_by']> | '';
  requests: string;
  tokens: string;
  concurrent: string;
}

const SCOPES = [
  ['organization', 'The whole organization'],
  ['department', 'A department'],
  ['user', 'One person'],
  ['model', 'A model'],
] as const;

const SPLITS = [
  ['user', 'Each person'],
  ['department', 'Each department'],
  ['project', 'Each project'],
  ['token', 'Each access token'],
  ['', 'All of them together'],
] as const;

const TOUCHED: readonly Operation[] = ['getLimit', 'listLimits'];

/** The form of a limit. Of one that exists, only name and numbers can be changed. */
export function LimitForm({ limit }: { limit?: Limit }) {
  const navigate = useNavigate();
  const { register, control, handleSubmit, formState } = useForm<Fields>({
    defaultValues: fieldsOf(limit),
    mode: 'onTouched',
  });
  const { errors, isDirty } = formState;
  const isSaved = useRef(false);
  const [scope, name] = useWatch({ control, name: ['scope', 'name'] });
  const leave = ({ id, name }: AnswerOf<'getLimit'>): void => {
    isSaved.current = true;
    say(`“${name}” is saved`);
    void navigate({ to: `/limits/${id}`, search: (previous: Record<string, string>) => previous });
  };
  const create = useAction('createLimit', TOUCHED, leave);
  const update = useAction('updateLimit', TOUCHED, leave);
  const save = handleSubmit(fields => {
    const body = { name: fields.name, ...numbersOf(fields) };
    if (limit) update.mutate({ id: limit.id, body });
    else create.mutate({ body: { ...body, ...targetOf(fields) } });
  });
  const number = { validate: numberFault } as const;
  return (
    <Sheet
      kind={limit ? 'Edit limit' : 'New limit'}
      over={limit ? `/limits/${limit.id}` : '/limits'}
      title={<bdi>{name || 'Without a name yet'}</bdi>}
      actions={
        <>
          <Button kind="primary" busy={create.isPending || update.isPending} onClick={() => void save()}>
            {limit ? 'Save changes' : 'Create limit'}
          </Button>
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
          error={errors.name?.message}
          {...register('name', { validate: needed('Give it a name.') })}
        />
        {limit === undefined && <SelectField label="For" options={SCOPES} {...register('scope')} />}
        {limit === undefined && scope === 'department' && (
          <TextField
            label="Department"
            hint="Exactly as it stands with the people."
            dir="auto"
            maxLength={255}
            error={errors.department?.message}
            {...register('department', { validate: needed('Name the department.') })}
          />
        )}
        {limit === undefined && scope === 'user' && (
          <Controller
            control={control}
            name="user_id"
            rules={{ validate: needed('Choose a person.') }}
            render={({ field, fieldState }) => (
              <PersonField id={field.value} onChange={field.onChange} error={fieldState.error?.message} />
            )}
          />
        )}
        {limit === undefined && scope === 'model' && (
          <TextField
            label="Model"
            hint="A name, or a pattern: gpt-4* is every name that begins so."
            maxLength={255}
            error={errors.model?.message}
            {...register('model', { validate: needed('Name the model.') })}
          />
        )}
        {limit === undefined && scope !== 'user' && (
          <SelectField label="Who has the numbers below" options={SPLITS} {...register('split')} />
        )}
        <p className="text-muted">Empty is any number. A call that has no room is refused, and may be tried again.</p>
        <div className="grid gap-4 sm:grid-cols-3">
          <TextField
            label="Requests in any minute"
            inputMode="numeric"
            placeholder="any"
            error={errors.requests?.message}
            {...register('requests', {
              validate: (text, fields) =>
                Object.values(numbersOf(fields)).some(value => value !== null)
                  ? numberFault(text)
                  : 'State one of these.',
            })}
          />
          <TextField
            label="Tokens in any minute"
            inputMode="numeric"
            placeholder="any"
            error={errors.tokens?.message}
            {...register('tokens', number)}
          />
          <TextField
            label="At the same time"
            inputMode="numeric"
            placeholder="any"
            error={errors.concurrent?.message}
            {...register('concurrent', number)}
          />
        </div>
        <button type="submit" hidden aria-hidden tabIndex={-1} />
      </form>
      {limit && <Facts facts={[['For, which stays', <OfWhom key="of" of={limit} />]]} />}
      <Unsaved isDirty={() => isDirty && !isSaved.current} />
    </Sheet>
  );
}

function fieldsOf(limit: Limit | undefined): Fields {
  const text = (value: number | null | undefined): string =>
    value === null || value === undefined ? '' : String(value);
  return {
    ...{ name: limit?.name ?? '', scope: 'organization', department: '', user_id: '', model: '', split: 'user' },
    requests: text(limit?.requests_per_minute),
    tokens: text(limit?.tokens_per_minute),
    concurrent: text(limit?.concurrent_requests),
  };
}

type Create = InputOf<'createLimit'>['body'];
type Numbers = 'requests_per_minute' | 'tokens_per_minute' | 'concurrent_requests';

function numbersOf({ requests, tokens, concurrent }: Fields): Record<Numbers, number | null> {
  const number = (text: string): number | null => (text.trim() === '' ? null : Number(text));
  return {
    requests_per_minute: number(requests),
    tokens_per_minute: number(tokens),
    concurrent_requests: number(concurrent),
  };
}

function targetOf({ scope, department, user_id, model, split }: Fields): Omit<Create, 'name' | Numbers> {
  return {
    scope,
    ...(split !== '' && scope !== 'user' && { split_by: split }),
    ...(scope === 'department' && { department }),
    ...(scope === 'user' && { user_id }),
    ...(scope === 'model' && { model: model.trim() }),
  };
}

function needed(message: string) {
  return (value: string): true | string => value.trim() !== '' || message;
}

function numberFault(text: string): true | string {
  return text.trim() === '' || /^[1-9]\d*$/.test(text.trim()) || 'Write a whole number from 1 on.';
}
