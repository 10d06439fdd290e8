import { useNavigate } from '@tanstack/react-router';
import { useRef, type ReactNode } from 'react';
import { Controller, useForm, useWatch } from 'react-hook-form';
import type { AnswerOf, InputOf, Operation } from '../../data/call.ts';
import { useAction } from '../../data/use-api.ts';
import { Button } from '../../parts/button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Fault } from '../../parts/fault.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Sheet, SheetCancel } from '../../parts/sheet.tsx';
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
  ['organization', 'Whole organization'],
  ['department', 'Department'],
  ['user', 'User'],
  ['model', 'Model'],
] as const;

const PERIODS = [
  ['daily', 'Daily'],
  ['weekly', 'Weekly, from Monday'],
  ['monthly', 'Monthly'],
  ['quarterly', 'Quarterly (fiscal)'],
  ['yearly', 'Yearly (fiscal)'],
] as const;

const SPLITS = [
  ['', 'One shared budget'],
  ['user', 'Per user'],
  ['department', 'Per department'],
  ['project', 'Per project'],
  ['token', 'Per access token'],
] as const;

const ENFORCEMENTS = [
  ['notify', 'Alert only: calls continue'],
  ['block', 'Block: refuse calls over the budget'],
] as const;

/** Form of a budget. For an existing budget, only name, amount and enforcement can be changed. */
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
    say(`Budget “${name}” saved`);
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
      kind={budget ? 'Edit budget' : name ? 'New budget' : 'Budget'}
      over={budget ? `/budgets/${budget.id}` : '/budgets'}
      title={<bdi>{name || 'New budget'}</bdi>}
      actions={
        <>
          <Button kind="primary" busy={create.isPending || update.isPending} onClick={() => void save()}>
            {budget ? 'Save changes' : 'Create budget'}
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
        {budget === undefined && <SelectField label="Scope" options={SCOPES} {...register('scope')} />}
        {budget === undefined && scope === 'department' && (
          <TextField
            label="Department"
            hint="Exactly as stored on your users."
            dir="auto"
            maxLength={255}
            error={errors.department?.message}
            {...register('department', { validate: needed('Enter a department.') })}
          />
        )}
        {budget === undefined && scope === 'user' && (
          <Controller
            control={control}
            name="user_id"
            rules={{ validate: needed('Choose a user.') }}
            render={({ field, fieldState }) => (
              <PersonField id={field.value} onChange={field.onChange} error={fieldState.error?.message} />
            )}
          />
        )}
        {budget === undefined && scope === 'model' && (
          <TextField
            label="Model"
            hint="A model name, or a pattern such as gpt-4*."
            className="[&_input]:font-mono [&_input]:text-small"
            maxLength={255}
            error={errors.model?.message}
            {...register('model', { validate: needed('Enter a model.') })}
          />
        )}
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Amount (USD)"
            inputMode="decimal"
            placeholder="500"
            error={errors.amount?.message}
            {...register('amount', { validate: amountFault })}
          />
          {budget === undefined && (
            <SelectField
              label="Period"
              hint={`Each period starts at midnight, ${zone}.`}
              options={PERIODS}
              {...register('period')}
            />
          )}
        </div>
        {budget === undefined && scope !== 'user' && (
          <SelectField label="Split" options={SPLITS} {...register('split')} />
        )}
        <SelectField
          label="When exceeded"
          hint={
            enforcement === 'block'
              ? 'Each call reserves its maximum cost until usage is reported. Calls that do not fit are refused.'
              : 'Threshold events are sent; calls continue.'
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
      <p className="text-small text-muted">You cannot change these later. Create another budget instead.</p>
      <Facts
        facts={[
          ['Scope', <OfWhom key="of" of={budget} />],
          ['Period', budget.period],
        ]}
      />
    </div>
  );
}

function fieldsOf(budget: Budget | undefined): Fields {
  return {
    name: budget?.name ?? '',
    // The form of an existing budget has neither scope nor window.
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
    'Enter an amount in US dollars, such as 500 or 0.5.'
  );
}
