import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import type { InputOf } from '../../data/call.ts';
import { useAction } from '../../data/use-api.ts';
import { Button } from '../../parts/button.tsx';
import { Fault } from '../../parts/fault.tsx';
import { DateField, SelectField, TextField } from '../../parts/field.tsx';
import { Sheet, SheetCancel } from '../../parts/sheet.tsx';
import { say } from '../../parts/toasts.tsx';
import { useZone } from '../../parts/time.tsx';
import { Unsaved } from '../../parts/unsaved.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { startOfDay } from '../../data/time.ts';

interface Fields {
  provider: string;
  model: string;
  by: 'price' | 'alias';
  input: string;
  output: string;
  cacheRead: string;
  cacheWrite: string;
  reasoning: string;
  from: string;
  aliasProvider: string;
  aliasModel: string;
}

/**
 * Sheet to add an own price. The address may contain provider and model, for example in a link from an unpriced model.
 * The form then begins with them.
 */
export function PriceFormSheet() {
  const [{ provider = '', model = '' }] = useFilters<'provider' | 'model'>();
  return <PriceForm key={`${provider} ${model}`} provider={provider} model={model} />;
}

function PriceForm({ provider, model }: { provider: string; model: string }) {
  const navigate = useNavigate();
  const zone = useZone();
  const { register, control, handleSubmit, formState } = useForm<Fields>({
    defaultValues: { provider, model, by: 'price', from: '' },
    mode: 'onTouched',
  });
  const { errors, isDirty } = formState;
  const isSaved = useRef(false);
  const by = useWatch({ control, name: 'by' });
  const put = useAction('putPrice', ['listPrices', 'listUnpricedModels'], ({ provider, model }) => {
    isSaved.current = true;
    say(`Price for ${model} saved`, 'It applies to new usage. Re-rate earlier usage if you need to.');
    void navigate({ to: '/prices/rerate', search: { model, ...(provider !== null && { provider }) } });
  });
  const save = handleSubmit(fields => put.mutate({ body: bodyOf(fields, zone) }));
  return (
    <Sheet
      kind={model === '' ? 'Price' : 'New price'}
      over="/prices"
      title={model === '' ? 'Set price' : <bdi className="font-mono">{model}</bdi>}
      actions={
        <>
          <Button kind="primary" busy={put.isPending} onClick={() => void save()}>
            Set price
          </Button>
          <SheetCancel />
          <Fault error={put.error} />
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
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Model"
            hint="A model name, or a pattern such as house-*."
            maxLength={255}
            error={errors.model?.message}
            {...register('model', { validate: value => value.trim() !== '' || 'Enter a model.' })}
          />
          <TextField
            label="Provider"
            optional
            hint="As in your usage events. Leave empty for all providers."
            maxLength={255}
            {...register('provider')}
          />
        </div>
        <SelectField
          label="Price source"
          options={[
            ['price', 'Custom prices'],
            ['alias', 'Same as a catalog model'],
          ]}
          {...register('by')}
        />
        {by === 'alias' ? (
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              label="Catalog model"
              error={errors.aliasModel?.message}
              {...register('aliasModel', { validate: value => value.trim() !== '' || 'Enter a model.' })}
            />
            <TextField
              label="Catalog provider"
              error={errors.aliasProvider?.message}
              {...register('aliasProvider', { validate: value => value.trim() !== '' || 'Enter its provider.' })}
            />
          </div>
        ) : (
          <>
            <p className="text-muted">USD per million tokens. Enter 0 for free.</p>
            <div className="grid gap-4 sm:grid-cols-2">
              <Dollars label="Input" name="input" {...{ register, errors }} needed />
              <Dollars label="Output" name="output" {...{ register, errors }} needed />
              <Dollars label="Cache read" name="cacheRead" empty="Same as input" {...{ register, errors }} />
              <Dollars label="Cache write" name="cacheWrite" empty="Same as input" {...{ register, errors }} />
              <Dollars label="Reasoning" name="reasoning" empty="Same as output" {...{ register, errors }} />
              <DateField
                label="Effective from"
                optional
                hint={`Start of the day in ${zone}. Leave empty to apply always.`}
                {...register('from')}
              />
            </div>
          </>
        )}
        <button type="submit" hidden aria-hidden tabIndex={-1} />
      </form>
      <Unsaved isDirty={() => isDirty && !isSaved.current} />
    </Sheet>
  );
}

interface DollarsProps {
  label: string;
  name: 'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'reasoning';
  needed?: boolean;
  /** The value that applies if the field is empty. */
  empty?: string;
  register: ReturnType<typeof useForm<Fields>>['register'];
  errors: Partial<Record<keyof Fields, { message?: string | undefined }>>;
}

function Dollars({ label, name, needed = false, empty, register, errors }: DollarsProps) {
  return (
    <TextField
      label={label}
      {...(!needed && { optional: true })}
      inputMode="decimal"
      placeholder={empty ?? (name === 'output' ? '10.00' : '2.50')}
      className="[&_input]:tabular-nums"
      error={errors[name]?.message}
      {...register(name, {
        validate: (text = '') => {
          if (text.trim() === '') return !needed || 'Enter a price; 0 is free.';
          return (
            (/^\d+(\.\d{1,12})?$/.test(text.trim()) && true) || 'Enter an amount such as 2.5, with at most 12 decimals.'
          );
        },
      })}
    />
  );
}

/** Prices are sent as text, so that no digit is lost. */
function bodyOf(fields: Fields, zone: string): InputOf<'putPrice'>['body'] {
  const { model, provider, by, from } = fields;
  const entry = { model: model.trim(), provider: provider.trim() === '' ? null : provider.trim() };
  if (by === 'alias')
    return { ...entry, alias: { provider: fields.aliasProvider.trim(), model: fields.aliasModel.trim() } };
  const price = (text: string | undefined): string | null => (text ?? '').trim() || null;
  return {
    ...entry,
    input_per_million_usd: price(fields.input),
    output_per_million_usd: price(fields.output),
    cache_read_per_million_usd: price(fields.cacheRead),
    cache_write_per_million_usd: price(fields.cacheWrite),
    reasoning_per_million_usd: price(fields.reasoning),
    effective_from: from === '' ? null : startOfDay(from, zone).toISOString(),
  };
}
