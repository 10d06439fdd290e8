import type { DeepPartialSkipArrayKey, FieldErrors, UseFormRegister } from 'react-hook-form';
import { sentence } from '../../data/format.ts';
import { CheckField, SelectField, TextField } from '../../parts/field.tsx';
import { SEVERITIES, type ChatPlatform, type WorkspaceEntries } from './workspace-entries.ts';

const CHANNEL_HINT = 'The channel ID, such as C024BE91L: view the channel’s details, at the end of About.';

interface NotificationFieldsProps {
  asked: ChatPlatform;
  entries: DeepPartialSkipArrayKey<WorkspaceEntries>;
  register: UseFormRegister<WorkspaceEntries>;
  errors: FieldErrors<WorkspaceEntries>;
}

/** What a chat is notified of: incidents and requests for approval, each in a channel. */
export function NotificationFields({ asked, entries, register, errors }: NotificationFieldsProps) {
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
          <SelectField
            label="Minimum severity"
            optional
            options={[['', 'All severities'], ...SEVERITIES.map(each => [each, sentence(each)] as const)]}
            {...register('min_severity')}
          />
        </div>
      )}
      <CheckField
        label="Requests for approval"
        hint="When a policy refuses somebody for the first time."
        {...register('approvals')}
      />
      {entries.approvals === true && asked.hasChannels && (
        <div className="border-l-2 border-line pl-4">{channel('approval_channel', 'Channel for requests')}</div>
      )}
    </div>
  );
}
