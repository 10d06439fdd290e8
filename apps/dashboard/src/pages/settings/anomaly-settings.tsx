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

/** Settings that define when usage counts as an anomaly. */
export function AnomalySettings() {
  const { data, error, refetch } = useApi('getAnomalySettings', {});
  return (
    <Section
      title="Anomaly detection"
      aside={
        data &&
        (data.updated_at === null ? (
          'Defaults'
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
    say('Anomaly settings saved');
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
  const amount = { validate: (value: string) => /^\d+(\.\d+)?$/.test(value.trim()) || 'Enter a number, 0 or more.' };
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
        <CheckField label="Usage spikes per user and day" {...register('usage')} />
        <CheckField label="Usage spikes of the organization per hour" {...register('organization')} />
        <CheckField
          label="Stricter detection for users who are leaving"
          hint="Applies to users with a departure date or the attribute below. Severity is higher."
          {...register('departure')}
        />
        <div className="grid gap-x-6 gap-y-4 sm:grid-cols-2">
          <SelectField
            label="Sensitivity"
            options={[
              ['low', 'Low: fewer alerts'],
              ['medium', 'Medium'],
              ['high', 'High: more alerts'],
            ]}
            {...register('sensitivity')}
          />
          <TextField
            label="Quiet days that end an episode"
            hint="From 1 to 30. Each episode raises one alert."
            inputMode="numeric"
            error={errors.quiet?.message}
            {...register('quiet', {
              validate: value =>
                (/^\d+$/.test(value.trim()) && Number(value) >= 1 && Number(value) <= 30) ||
                'Enter a whole number of days from 1 to 30.',
            })}
          />
          <TextField
            label="Minimum requests per day"
            hint="Per user. For the organization, ten times as many per hour."
            inputMode="decimal"
            error={errors.requests?.message}
            {...register('requests', amount)}
          />
          <TextField
            label="Minimum tokens per day"
            inputMode="decimal"
            error={errors.tokens?.message}
            {...register('tokens', amount)}
          />
          <TextField
            label="Minimum cost per day (USD)"
            inputMode="decimal"
            error={errors.cost?.message}
            {...register('cost', amount)}
          />
          <TextField
            label="Leaving attribute"
            optional
            hint="Users with this attribute set to true count as leaving."
            maxLength={255}
            {...register('attribute')}
          />
        </div>
      </fieldset>
      {mayWrite && (
        <div className="flex flex-wrap items-center gap-2">
          <Button type="submit" kind={isDirty ? 'primary' : 'plain'} disabled={!isDirty} busy={put.isPending}>
            Save
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
