import { useNavigate } from '@tanstack/react-router';
import { useRef, type ReactNode } from 'react';
import { Controller, useForm, useWatch } from 'react-hook-form';
import type { AnswerOf, InputOf, Operation } from '../../data/call.ts';
import { useAction } from '../../data/use-api.ts';
import { Button } from '../../parts/button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Fault } from '../../parts/fault.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { useZone } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';
import { Unsaved } from '../../parts/unsaved.tsx';
import { OfWhom } from '../../parts/of-whom.tsx';
import { PersonField } from '../../parts/person-field.tsx';
import type { Budget } from './standing.ts';

interface Fields {
  name: string;
  scope: 'organization' | 'department' | 'user' | 'model';
  department: string;
  user_id: string;
  model: string;
  amount: string;
  split: NonNullable<Budget['split_by']> | '';
  period: Budget['period'];
  enforcement: Budget['enforcement'];
}

const TOUCHED: readonly Operation[] = ['getBudget', 'listBudgets'];

const SCOPES = [
  ['organization', 'The whole organization'],
  ['department', 'A department'],
  ['user', 'One person'],
  ['model', 'A model'],
] as const;

const PERIODS = [
  ['daily', 'A day'],
  ['weekly', 'A week, from Monday on'],
  ['monthly', 'A month'],
  ['quarterly', 'A quarter of the fiscal year'],
  ['yearly', 'A fiscal year'],
] as const;

const SPLITS = [
  ['', 'All of them together'],
  ['user', 'Each person'],
  ['department', 'Each department'],
  ['project', 'Each project'],
  ['token', 'Each access token'],
] as const;

const ENFORCEMENTS = [
  ['notify', 'People are told; calls go on'],
  ['block', 'Calls that do not fit are refused'],
] as const;

/** The form of a budget. Of one that exists, only name, amount and what happens can be changed. */
export function BudgetForm({ budget }: { budget?: Budget }) {
  const navigate = useNavigate();
  const zone = useZone();
  const { register, control, handleSubmit, formState } = useForm<Fields>({
    defaultValues: fieldsOf(budget),
    mode: 'onTouched',
  });
  const { errors, isDirty } = formState;
  const isSaved = useRef(false);
  const [scope, name, enforcement] = useWatch({ control, name: ['scope', 'name', 'enforcement'] });
  const leave = ({ id, name }: AnswerOf<'getBudget'>): void => {
    isSaved.current = true;
    say(`“${name}” is saved`);
    void navigate({ to: `/budgets/${id}`, search: (previous: Record<string, string>) => previous });
  };
  const create = useAction('createBudget', TOUCHED, leave);
  const update = useAction('updateBudget', TOUCHED, leave);
  const save = handleSubmit(fields => {
    const { name, enforcement } = fields;
    const amount_usd = Number(fields.amount);
    if (budget) update.mutate({ id: budget.id, body: { name, enforcement, amount_usd } });
    else create.mutate({ body: { name, enforcement, amount_usd, ...targetOf(fields) } });
  });
  return (
    <Sheet
      kind={budget ? 'Edit budget' : 'New budget'}
      over={budget ? `/budgets/${budget.id}` : '/budgets'}
      title={<bdi>{name || 'Without a name yet'}</bdi>}
      actions={
        <>
          <Button kind="primary" busy={create.isPending || update.isPending} onClick={() => void save()}>
            {budget ? 'Save changes' : 'Create budget'}
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
        {budget === undefined && <SelectField label="Of" options={SCOPES} {...register('scope')} />}
        {budget === undefined && scope === 'department' && (
          <TextField
            label="Department"
            hint="Exactly as it stands with the people."
            dir="auto"
            maxLength={255}
            error={errors.department?.message}
            {...register('department', { validate: needed('Name the department.') })}
          />
        )}
        {budget === undefined && scope === 'user' && (
          <Controller
            control={control}
            name="user_id"
            rules={{ validate: needed('Choose a person.') }}
            render={({ field, fieldState }) => (
              <PersonField id={field.value} onChange={field.onChange} error={fieldState.error?.message} />
            )}
          />
        )}
        {budget === undefined && scope === 'model' && (
          <TextField
            label="Model"
            hint="A name, or a pattern: gpt-4* is every name that begins so."
            className="[&_input]:font-mono [&_input]:text-small"
            maxLength={255}
            error={errors.model?.message}
            {...register('model', { validate: needed('Name the model.') })}
          />
        )}
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Amount in US dollars"
            inputMode="decimal"
            placeholder="500"
            error={errors.amount?.message}
            {...register('amount', { validate: amountFault })}
          />
          {budget === undefined && (
            <SelectField
              label="For"
              hint={`Windows begin at midnight, ${zone}.`}
              options={PERIODS}
              {...register('period')}
            />
          )}
        </div>
        {budget === undefined && scope !== 'user' && (
          <SelectField label="Who has the amount" options={SPLITS} {...register('split')} />
        )}
        <SelectField
          label="When it is spent"
          hint={
            enforcement === 'block'
              ? 'Each call holds what it may cost until its usage is reported. A call that has no room is refused.'
              : 'Events go out at 80 and at 100 %.'
          }
          options={ENFORCEMENTS}
          {...register('enforcement')}
        />
        <button type="submit" hidden aria-hidden tabIndex={-1} />
      </form>
      {budget && <Fixed budget={budget} />}
      <Unsaved isDirty={() => isDirty && !isSaved.current} />
    </Sheet>
  );
}

function Fixed({ budget }: { budget: Budget }): ReactNode {
  return (
    <div>
      <p className="text-small text-muted">These stay as they are; another budget can have others.</p>
      <Facts
        facts={[
          ['Of', <OfWhom key="of" of={budget} />],
          ['Window', budget.period],
        ]}
      />
    </div>
  );
}

function fieldsOf(budget: Budget | undefined): Fields {
  return {
    name: budget?.name ?? '',
    // Of a budget that exists, neither scope nor window is in the form.
    scope: 'organization',
    department: budget?.department ?? '',
    user_id: budget?.user_id ?? '',
    model: budget?.model ?? '',
    amount: budget === undefined ? '' : String(budget.amount_usd),
    period: 'monthly',
    split: '',
    enforcement: budget?.enforcement ?? 'notify',
  };
}

type Create = InputOf<'createBudget'>['body'];

function targetOf(fields: Fields): Pick<Create, 'scope' | 'period' | 'department' | 'user_id' | 'model' | 'split_by'> {
  const { scope, period, department, user_id, model, split } = fields;
  return {
    ...{ scope, period },
    ...(split !== '' && scope !== 'user' && { split_by: split }),
    ...(scope === 'department' && { department }),
    ...(scope === 'user' && { user_id }),
    ...(scope === 'model' && { model: model.trim() }),
  };
}

function needed(message: string) {
  return (value: string): true | string => value.trim() !== '' || message;
}

function amountFault(text: string): true | string {
  const amount = Number(text);
  return (
    (text.trim() !== '' && Number.isFinite(amount) && amount >= 0) ||
    'Write a number of US dollars, such as 500 or 0.5.'
  );
}
