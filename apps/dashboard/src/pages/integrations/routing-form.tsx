import type { UseFormRegister } from 'react-hook-form';
import { sentence } from '../../data/format.ts';
import { cx } from '../../parts/cx.ts';
import { CONTROL, Field, SelectField, TextField } from '../../parts/field.tsx';
import type { Connector } from './connectors.tsx';
import { usePolicyOptions } from './policy-options.ts';
import type { RoutingEntries, SchemaEntries } from './schema-form.tsx';
import { orWorse, SEVERITIES } from './workspace-entries.ts';

type Routing = Connector['routing'];

/** Which incidents a connector opens tickets for. */
export function RoutingForm({
  chosen,
  register,
}: {
  chosen: readonly string[];
  register: UseFormRegister<SchemaEntries>;
}) {
  const policies = usePolicyOptions();
  const listed = new Set(policies.map(([id]) => id));
  // One that is not on the page, or was deleted, stays chosen.
  const others = chosen.filter(id => !listed.has(id)).map(id => [id, `Policy ${id}`] as const);
  return (
    <>
      <SelectField
        label="Minimum severity"
        optional
        hint="Opens tickets for incidents of this severity or a worse one."
        options={[['', 'All severities'], ...SEVERITIES.map(each => [each, sentence(each)] as const)]}
        {...register('routing.min_severity')}
      />
      <Field
        label="Policies"
        optional
        hint="Opens tickets for violations of these policies only. Without a selection: for all incidents. Hold Ctrl or ⌘ to select several."
      >
        {control => (
          <select multiple size={5} {...control} {...register('routing.policies')} className={cx(CONTROL, 'py-0')}>
            {[...policies, ...others].map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <TextField
        label="Departments"
        optional
        hint="Opens tickets for incidents about people of these departments only. Separate names by commas, such as Sales, Research."
        {...register('routing.departments')}
      />
    </>
  );
}

/** What the form begins with. */
export function entriesOf(routing: Routing | undefined): RoutingEntries {
  const { min_severity = '', policies = [], departments = [] } = routing ?? {};
  return { min_severity, policies: [...policies], departments: departments.join(', ') };
}

/** What the API takes. */
export function routingOf({ min_severity, policies, departments }: RoutingEntries): Routing {
  const severity = SEVERITIES.find(each => each === min_severity);
  const names = departments.split(',').map(name => name.trim());
  const kept = [...new Set(names)].filter(name => name !== '');
  return {
    ...(severity !== undefined && { min_severity: severity }),
    ...(policies.length > 0 && { policies: [...policies] }),
    ...(kept.length > 0 && { departments: kept }),
  };
}

/** Which incidents a connector opens tickets for, in words. */
export function routingInWords({ min_severity, policies, departments }: Routing): string {
  const parts = [
    ...(min_severity === undefined || min_severity === 'low' ? [] : [`severity ${orWorse(min_severity)}`]),
    ...(policies === undefined ? [] : [policies.length === 1 ? '1 policy' : `${policies.length} policies`]),
    ...(departments === undefined ? [] : [departments.join(', ')]),
  ];
  return parts.length === 0 ? 'all incidents' : parts.join('; ');
}
