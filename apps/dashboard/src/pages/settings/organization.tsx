import { useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import type { AnswerOf } from '../../data/call.ts';
import { useMay } from '../../data/scopes.ts';
import { ME } from '../../data/session.ts';
import { useAction, useApi } from '../../data/use-api.ts';
import { Button } from '../../parts/button.tsx';
import { Fault } from '../../parts/fault.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Section } from '../../parts/page.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { say } from '../../parts/toasts.tsx';

type Org = AnswerOf<'getOrganization'>;

const MONTHS = Array.from(
  { length: 12 },
  (_, month) =>
    [
      String(month + 1),
      new Intl.DateTimeFormat('en-US', { month: 'long', timeZone: 'UTC' }).format(new Date(Date.UTC(2026, month))),
    ] as const,
);

/** Name, time zone and rules of the organization. */
export function Organization() {
  const { data, error, refetch } = useApi('getOrganization', {});
  return (
    <Section title="Organization" className="pb-4">
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={3} />}
      {data && <OrganizationForm key={data.id} organization={data} />}
    </Section>
  );
}

interface Fields {
  name: string;
  time_zone: string;
  days: string;
  month: string;
}

const entriesOf = ({ name, time_zone, sign_in_token_max_days, fiscal_year_first_month }: Org): Fields => ({
  name,
  time_zone,
  days: String(sign_in_token_max_days),
  month: String(fiscal_year_first_month),
});

function OrganizationForm({ organization }: { organization: Org }) {
  const mayWrite = useMay('organization:write');
  const client = useQueryClient();
  const { register, handleSubmit, reset, formState } = useForm<Fields>({
    values: entriesOf(organization),
    mode: 'onTouched',
  });
  // The state is read at this point, because react-hook-form tracks only the state that is read during rendering.
  const { errors, isDirty, dirtyFields } = formState;
  const change = useAction('updateOrganization', ['getOrganization', 'listBudgets'], saved => {
    reset(entriesOf(saved));
    // The name is shown in the frame of the page, and the time zone affects all times, so both are refetched.
    void client.invalidateQueries({ queryKey: ME.queryKey });
    say('Organization saved');
  });
  const save = handleSubmit(({ name, time_zone, days, month }) =>
    change.mutate({
      body: {
        ...(dirtyFields.name && { name: name.trim() }),
        ...(dirtyFields.time_zone && { time_zone }),
        ...(dirtyFields.days && { sign_in_token_max_days: Number(days) }),
        ...(dirtyFields.month && { fiscal_year_first_month: Number(month) }),
      },
    }),
  );
  const zones = [...new Set([organization.time_zone, 'UTC', ...Intl.supportedValuesOf('timeZone')])];
  return (
    <form
      className="flex max-w-3xl flex-col gap-4 pt-4"
      onSubmit={event => {
        event.preventDefault();
        void save();
      }}
    >
      <fieldset disabled={!mayWrite} className="grid gap-x-6 gap-y-4 sm:grid-cols-2">
        <legend className="sr-only">Organization</legend>
        <TextField
          label="Name"
          maxLength={255}
          error={errors.name?.message}
          {...register('name', { validate: value => value.trim() !== '' || 'Enter a name.' })}
        />
        <SelectField
          label="Time zone"
          hint="Budget periods and all times on these pages use this zone."
          options={zones.map(zone => [zone, zone] as const)}
          {...register('time_zone')}
        />
        <SelectField
          label="Fiscal year starts in"
          hint="Quarterly and yearly budgets follow it."
          options={MONTHS}
          {...register('month')}
        />
        <TextField
          label="Maximum token lifetime (days)"
          hint="From 1 to 365. Applies to tokens that users create."
          inputMode="numeric"
          error={errors.days?.message}
          {...register('days', {
            validate: value =>
              (/^\d+$/.test(value.trim()) && Number(value) >= 1 && Number(value) <= 365) ||
              'Enter a whole number of days from 1 to 365.',
          })}
        />
      </fieldset>
      {mayWrite && (
        <div className="flex flex-wrap items-center gap-2">
          <Button type="submit" kind={isDirty ? 'primary' : 'plain'} disabled={!isDirty} busy={change.isPending}>
            Save
          </Button>
          {isDirty && (
            <Button kind="quiet" onClick={() => reset()}>
              Undo
            </Button>
          )}
          <Fault error={change.error} />
        </div>
      )}
    </form>
  );
}
