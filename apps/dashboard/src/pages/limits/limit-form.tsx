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
import { Sheet, SheetCancel } from '../../parts/sheet.tsx';
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
  ['organization', 'Whole organization'],
  ['department', 'Department'],
  ['user', 'User'],
  ['model', 'Model'],
] as const;

const SPLITS = [
  ['user', 'Per user'],
  ['department', 'Per department'],
  ['project', 'Per project'],
  ['token', 'Per access token'],
  ['', 'One shared limit'],
] as const;

const TOUCHED: readonly Operation[] = ['getLimit', 'listLimits'];

/** Form of a limit. For an existing limit, only name and numbers can be changed. */
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
    say(`Limit “${name}” saved`);
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
      kind={limit ? 'Edit limit' : name ? 'New limit' : 'Limit'}
      over={limit ? `/limits/${limit.id}` : '/limits'}
      title={<bdi>{name || 'New limit'}</bdi>}
      actions={
        <>
          <Button kind="primary" busy={create.isPending || update.isPending} onClick={() => void save()}>
            {limit ? 'Save changes' : 'Create limit'}
          </Button>
          <SheetCancel />
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
          {...register('name', { validate: needed('Enter a name.') })}
        />
        {limit === undefined && <SelectField label="Scope" options={SCOPES} {...register('scope')} />}
        {limit === undefined && scope === 'department' && (
          <TextField
            label="Department"
            hint="Exactly as stored on your users."
            dir="auto"
            maxLength={255}
            error={errors.department?.message}
            {...register('department', { validate: needed('Enter a department.') })}
          />
        )}
        {limit === undefined && scope === 'user' && (
          <Controller
            control={control}
            name="user_id"
            rules={{ validate: needed('Choose a user.') }}
            render={({ field, fieldState }) => (
              <PersonField id={field.value} onChange={field.onChange} error={fieldState.error?.message} />
            )}
          />
        )}
        {limit === undefined && scope === 'model' && (
          <TextField
            label="Model"
            hint="A model name, or a pattern such as gpt-4*."
            maxLength={255}
            error={errors.model?.message}
            {...register('model', { validate: needed('Enter a model.') })}
          />
        )}
        {limit === undefined && scope !== 'user' && (
          <SelectField label="Split" options={SPLITS} {...register('split')} />
        )}
        <p className="text-muted">
          Leave a field empty for no limit. Calls over a limit are refused with a time to retry after.
        </p>
        <div className="grid gap-4 sm:grid-cols-3">
          <TextField
            label="Requests per minute"
            inputMode="numeric"
            placeholder="No limit"
            error={errors.requests?.message}
            {...register('requests', {
              validate: (text, fields) =>
                Object.values(numbersOf(fields)).some(value => value !== null)
                  ? numberFault(text)
                  : 'Enter at least one limit.',
            })}
          />
          <TextField
            label="Tokens per minute"
            inputMode="numeric"
            placeholder="No limit"
            error={errors.tokens?.message}
            {...register('tokens', number)}
          />
          <TextField
            label="Concurrent requests"
            inputMode="numeric"
            placeholder="No limit"
            error={errors.concurrent?.message}
            {...register('concurrent', number)}
          />
        </div>
        <button type="submit" hidden aria-hidden tabIndex={-1} />
      </form>
      {limit && <Facts facts={[['Scope (cannot be changed)', <OfWhom key="of" of={limit} />]]} />}
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
  return text.trim() === '' || /^[1-9]\d*$/.test(text.trim()) || 'Enter a whole number, 1 or more.';
}
