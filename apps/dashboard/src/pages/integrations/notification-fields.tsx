import type { DeepPartialSkipArrayKey, FieldErrors, UseFormRegister } from 'react-hook-form';
import { CheckField, TextField } from '../../parts/field.tsx';
import { RoutingForm } from './routing-form.tsx';
import type { ChatPlatform, WorkspaceEntries } from './workspace-entries.ts';

const CHANNEL_HINT = 'The channel ID, such as C024BE91L: view the channel’s details, at the end of About.';

interface NotificationFieldsProps {
  asked: ChatPlatform;
  entries: DeepPartialSkipArrayKey<WorkspaceEntries>;
  register: UseFormRegister<WorkspaceEntries>;
  errors: FieldErrors<WorkspaceEntries>;
  /** Ids of the policies that are stored. */
  chosen: { incidents: readonly string[]; approvals: readonly string[] };
}

/** Fields for the notifications of a chat: incidents and requests for approval, each with a channel. */
export function NotificationFields({ asked, entries, register, errors, chosen }: NotificationFieldsProps) {
  const channel = (name: 'incident_channel' | 'approval_channel', label: string) => (
    <TextField
      label={label}
      hint={CHANNEL_HINT}
      maxLength={100}
      spellCheck={false}
      error={errors[name]?.message}
      {...register(name, { validate: value => value.trim() !== '' || `${label} is required.` })}
    />
  );
  return (
    <div className="flex flex-col gap-4 pt-3">
      {asked.limits !== undefined && <p className="text-muted">{asked.limits}</p>}
      <CheckField label="Incidents" hint="When one opens." {...register('incidents')} />
      {entries.incidents === true && (
        <div className="flex flex-col gap-4 border-l-2 border-line pl-4">
          {asked.hasChannels && channel('incident_channel', 'Channel for incidents')}
          <RoutingForm
            chosen={chosen.incidents}
            severity={{
              label: 'Minimum severity',
              hint: 'Announces incidents of this severity or a worse one.',
              entry: register('incident_routing.min_severity'),
            }}
            policies={{
              label: 'Policies',
              hint: 'Announces violations of these policies only.',
              entry: register('incident_routing.policies'),
            }}
            departments={{
              label: 'Departments',
              hint: 'Announces incidents about people of these departments only.',
              entry: register('incident_routing.departments'),
            }}
          />
        </div>
      )}
      <CheckField
        label="Requests for approval"
        hint="When a policy refuses somebody for the first time."
        {...register('approvals')}
      />
      {entries.approvals === true && (
        <div className="flex flex-col gap-4 border-l-2 border-line pl-4">
          {asked.hasChannels && channel('approval_channel', 'Channel for requests')}
          <RoutingForm
            chosen={chosen.approvals}
            policies={{
              label: 'Policies that ask for approval',
              hint: 'Announces requests of these policies only.',
              action: 'require_approval',
              none: 'No policy asks for approval yet.',
              entry: register('approval_routing.policies'),
            }}
            departments={{
              label: 'Departments of requesters',
              hint: 'Announces requests of people of these departments only.',
              entry: register('approval_routing.departments'),
            }}
          />
        </div>
      )}
    </div>
  );
}
