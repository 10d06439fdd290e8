import { useForm } from 'react-hook-form';
import type { AnswerOf } from '../../data/call.ts';
import { useMay } from '../../data/scopes.ts';
import { useAction, useApi } from '../../data/use-api.ts';
import { Button } from '../../parts/button.tsx';
import { Fault } from '../../parts/fault.tsx';
import { CheckField, SelectField, TextField } from '../../parts/field.tsx';
import { Section } from '../../parts/page.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';

type Settings = AnswerOf<'getAnomalySettings'>;

/** How unusual usage must be before it is an anomaly. */
export function AnomalySettings() {
  const { data, error, refetch } = useApi('getAnomalySettings', {});
  return (
    <Section
      title="Anomalies"
      aside={
        data &&
        (data.updated_at === null ? (
          'defaults, nobody has chosen'
        ) : (
          <span>
            changed <Ago at={data.updated_at} />
          </span>
        ))
      }
    >
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={4} />}
      {data && <SettingsForm settings={data} />}
    </Section>
  );
}

interface Fields {
  sensitivity: Settings['sensitivity'];
  quiet: string;
  requests: string;
  tokens: string;
  cost: string;
  usage: boolean;
  organization: boolean;
  departure: boolean;
  attribute: string;
}

const entriesOf = (settings: Settings): Fields => ({
  sensitivity: settings.sensitivity,
  quiet: String(settings.quiet_days),
  requests: String(settings.minimum_requests),
  tokens: String(settings.minimum_tokens),
  cost: String(settings.minimum_cost_usd),
  usage: settings.usage_spikes,
  organization: settings.organization_spikes,
  departure: settings.pre_departure,
  attribute: settings.leaver_attribute ?? '',
});

function SettingsForm({ settings }: { settings: Settings }) {
  const mayWrite = useMay('anomalies:write');
  const { register, handleSubmit, reset, formState } = useForm<Fields>({
    values: entriesOf(settings),
    mode: 'onTouched',
  });
  const { errors, isDirty } = formState;
  const put = useAction('putAnomalySettings', ['getAnomalySettings'], saved => {
    reset(entriesOf(saved));
    say('The settings of anomalies are saved');
  });
  const save = handleSubmit(fields =>
    put.mutate({
      body: {
        sensitivity: fields.sensitivity,
        quiet_days: Number(fields.quiet),
        minimum_requests: Number(fields.requests),
        minimum_tokens: Number(fields.tokens),
        minimum_cost_usd: Number(fields.cost),
        usage_spikes: fields.usage,
        organization_spikes: fields.organization,
        pre_departure: fields.departure,
        leaver_attribute: fields.attribute.trim() || null,
      },
    }),
  );
  const amount = { validate: (value: string) => /^\d+(\.\d+)?$/.test(value.trim()) || 'Write a number from 0 on.' };
  return (
    <form
      className="flex max-w-3xl flex-col gap-4 pt-4"
      onSubmit={event => {
        event.preventDefault();
        void save();
      }}
    >
      <fieldset disabled={!mayWrite} className="flex flex-col gap-4">
        <legend className="sr-only">Anomalies</legend>
        <CheckField label="Days of people that are far above their usual" {...register('usage')} />
        <CheckField
          label="Hours of the whole organization that are far above the usual"
          {...register('organization')}
        />
        <CheckField
          label="Closer limits and a higher severity for people who are about to leave"
          hint="Those with a departure date, and those with the attribute below."
          {...register('departure')}
        />
        <div className="grid gap-x-6 gap-y-4 sm:grid-cols-2">
          <SelectField
            label="Sensitivity"
            options={[
              ['low', 'Low: wider limits, fewer alarms'],
              ['medium', 'Medium'],
              ['high', 'High: closer limits, more alarms'],
            ]}
            {...register('sensitivity')}
          />
          <TextField
            label="An episode ends after quiet days"
            hint="From 1 to 30. One episode raises one alarm."
            inputMode="numeric"
            error={errors.quiet?.message}
            {...register('quiet', {
              validate: value =>
                (/^\d+$/.test(value.trim()) && Number(value) >= 1 && Number(value) <= 30) ||
                'Write a whole number of days from 1 to 30.',
            })}
          />
          <TextField
            label="No alarm below, requests a day"
            hint="Of a person; ten times as many in an hour of the organization."
            inputMode="decimal"
            error={errors.requests?.message}
            {...register('requests', amount)}
          />
          <TextField
            label="No alarm below, tokens a day"
            inputMode="decimal"
            error={errors.tokens?.message}
            {...register('tokens', amount)}
          />
          <TextField
            label="No alarm below, US dollars a day"
            inputMode="decimal"
            error={errors.cost?.message}
            {...register('cost', amount)}
          />
          <TextField
            label="Attribute of people who leave"
            optional
            hint="People whose attribute of this name is true are about to leave."
            maxLength={255}
            {...register('attribute')}
          />
        </div>
      </fieldset>
      {mayWrite && (
        <div className="flex flex-wrap items-center gap-2">
          <Button type="submit" kind={isDirty ? 'primary' : 'plain'} disabled={!isDirty} busy={put.isPending}>
            Save the anomalies
          </Button>
          {isDirty && (
            <Button kind="quiet" onClick={() => reset()}>
              Undo
            </Button>
          )}
          <Fault error={put.error} />
        </div>
      )}
    </form>
  );
}
