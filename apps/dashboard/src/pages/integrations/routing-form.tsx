import type { UseFormRegisterReturn } from 'react-hook-form';
import { sentence } from '../../data/format.ts';
import { ChoiceList, SelectField, TextField } from '../../parts/field.tsx';
import { usePolicyOptions } from './policy-options.ts';
import { SEVERITIES } from './routing-entries.ts';

/** Label and form registration of one condition. */
interface Condition {
  label: string;
  hint: string;
  entry: UseFormRegisterReturn;
}

interface RoutingFormProps {
  /** Registration of the field for severity. Missing if severity is not a condition. */
  severity?: Condition;
  policies: Condition & {
    /** If set, only policies with this action are offered. */
    action?: 'require_approval';
    /** Text that is shown if there is no policy to choose. */
    none?: string;
  };
  departments: Condition;
  /** Ids of the policies that were chosen. */
  chosen: readonly string[];
}

/** Fields with the conditions that select incidents for tickets, or notifications for a chat. */
export function RoutingForm({ severity, policies, departments, chosen }: RoutingFormProps) {
  const options = usePolicyOptions(policies.action, chosen);
  const listed = new Set(options.map(([id]) => id));
  // Chosen policies are kept even if they are not in this part of the list, or were deleted.
  const others = chosen.filter(id => !listed.has(id)).map(id => [id, `Policy ${id}`] as const);
  return (
    <>
      {severity && (
        <SelectField
          label={severity.label}
          optional
          hint={severity.hint}
          options={[['', 'All severities'], ...SEVERITIES.map(each => [each, sentence(each)] as const)]}
          {...severity.entry}
        />
      )}
      <ChoiceList
        label={policies.label}
        optional
        hint={`${policies.hint} Without a selection: for all.`}
        options={[...options, ...others]}
        none={policies.none ?? 'No policies yet.'}
        {...policies.entry}
      />
      <TextField
        label={departments.label}
        optional
        hint={`${departments.hint} Separate names by commas, such as Sales, Research.`}
        {...departments.entry}
      />
    </>
  );
}
