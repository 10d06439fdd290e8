import { useNavigate } from '@tanstack/react-router';
import { useForm } from 'react-hook-form';
import { addDays, dayOf } from '../../data/time.ts';
import { useAction } from '../../data/use-api.ts';
import { Button } from '../../parts/button.tsx';
import { Fault } from '../../parts/fault.tsx';
import { DateField, TextField } from '../../parts/field.tsx';
import { Sheet, SheetCancel } from '../../parts/sheet.tsx';
import { say } from '../../parts/toasts.tsx';
import { useNow } from '../../parts/time.tsx';
import { useFilters } from '../../parts/use-filters.ts';

interface Fields {
  first: string;
  last: string;
  provider: string;
  model: string;
}

/**
 * Sheet to price stored usage again with the current prices. The address may contain provider and model, with which the
 * form then begins.
 */
export function RerateSheet() {
  const [{ provider = '', model = '' }] = useFilters<'provider' | 'model'>();
  return <Rerate key={`${provider} ${model}`} provider={provider} model={model} />;
}

function Rerate({ provider, model }: { provider: string; model: string }) {
  const navigate = useNavigate();
  const today = dayOf(new Date(useNow()), 'UTC');
  const { register, handleSubmit, formState } = useForm<Fields>({
    defaultValues: { first: addDays(today, -29), last: today, provider, model },
    mode: 'onTouched',
  });
  const begin = useAction('createRerating', ['listReratings'], () => {
    say('Re-rating started', 'See its progress in the list.');
    void navigate({ to: '/prices' });
  });
  const save = handleSubmit(({ first, last, provider, model }) =>
    begin.mutate({
      body: {
        start_date: first,
        end_date: last,
        ...(provider.trim() !== '' && { provider: provider.trim() }),
        ...(model.trim() !== '' && { model: model.trim() }),
      },
    }),
  );
  return (
    <Sheet
      kind="Prices"
      over="/prices"
      title="Re-rate usage"
      actions={
        <>
          <Button kind="primary" busy={begin.isPending} onClick={() => void save()}>
            Start re-rating
          </Button>
          <SheetCancel />
          <Fault error={begin.error} />
        </>
      }
    >
      <p className="max-w-[60ch] text-muted">
        Recalculates the cost of recorded usage with current prices. Reports and budgets change; each event keeps its
        previous cost. Costs reported with the usage do not change.
      </p>
      <form
        className="grid gap-4 sm:grid-cols-2"
        onSubmit={event => {
          event.preventDefault();
          void save();
        }}
      >
        <DateField label="First day, UTC" required {...register('first', { required: true })} />
        <DateField
          label="Last day, UTC"
          required
          error={formState.errors.last?.message}
          {...register('last', {
            validate: (last, { first }) =>
              (last !== '' && last >= first) || 'The last day must not be before the first.',
          })}
        />
        <TextField
          label="Model"
          optional
          hint="A name or a pattern. Leave empty for all."
          maxLength={255}
          {...register('model')}
        />
        <TextField label="Provider" optional hint="Leave empty for all." maxLength={255} {...register('provider')} />
        <button type="submit" hidden aria-hidden tabIndex={-1} />
      </form>
    </Sheet>
  );
}
