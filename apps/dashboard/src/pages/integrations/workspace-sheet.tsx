import { useNavigate, useParams } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useAction, useList } from '../../data/use-api.ts';
import { Alarm } from '../../parts/alarm.tsx';
import { Button } from '../../parts/button.tsx';
import { Fault } from '../../parts/fault.tsx';
import { TextField } from '../../parts/field.tsx';
import { Section } from '../../parts/page.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Sheet, SheetCancel } from '../../parts/sheet.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { say } from '../../parts/toasts.tsx';
import { Unsaved } from '../../parts/unsaved.tsx';
import {
  chatPlatform,
  entriesOf,
  notificationsOf,
  OFFERED,
  OTHER_CHAT,
  type Workspace,
  type WorkspaceEntries,
} from './workspace-entries.ts';
import { NotificationFields } from './notification-fields.tsx';

/** Sheet to add a workspace or channel of a chat. */
export function NewWorkspaceSheet() {
  const [platform, setPlatform] = useState('slack');
  return <WorkspaceForm key={platform} platform={platform} onPlatform={setPlatform} />;
}

/** Sheet to change the secrets and notifications of a workspace. */
export function WorkspaceSheet() {
  const { workspaceId: id = '' } = useParams({ strict: false });
  const list = useList('listChatWorkspaces', {});
  const workspace = list.items.find(each => each.id === id);
  if (workspace) return <WorkspaceForm key={id} platform={workspace.platform} workspace={workspace} />;
  return (
    <Sheet kind="Chat workspace" over="/integrations" title="Chat workspace">
      {list.error && <Failure error={list.error} onRetry={list.retry} />}
      {list.isPending && <Skeleton lines={5} />}
      {!list.isPending && !list.error && <p>This workspace was removed.</p>}
    </Sheet>
  );
}

interface WorkspaceFormProps {
  platform: string;
  /** The workspace to edit. */
  workspace?: Workspace;
  /** Called when a platform is chosen for a new workspace. */
  onPlatform?: (platform: string) => void;
}

function WorkspaceForm({ platform, workspace, onPlatform }: WorkspaceFormProps) {
  const navigate = useNavigate();
  const { register, handleSubmit, formState, control } = useForm<WorkspaceEntries>({
    defaultValues: entriesOf(workspace),
    mode: 'onTouched',
  });
  const { errors, isDirty } = formState;
  const entries = useWatch({ control });
  const isSaved = useRef(false);
  const asked = chatPlatform(platform);
  const done = ({ workspace: name }: Workspace): void => {
    isSaved.current = true;
    say(`${name} saved`);
    void navigate({ to: '/integrations', search: (previous: Record<string, string>) => previous });
  };
  const add = useAction('registerChatWorkspace', ['listChatWorkspaces'], done);
  const change = useAction('updateChatWorkspace', ['listChatWorkspaces'], done);
  const save = handleSubmit(given => {
    const [signing, notification] = [given.signing_secret.trim(), given.notification_secret.trim()];
    const body = {
      ...(signing !== '' && { signing_secret: signing }),
      ...(notification !== '' && { notification_secret: notification }),
      notifications: notificationsOf(given, asked),
    };
    if (workspace) change.mutate({ id: workspace.id, body });
    else
      add.mutate({ body: { ...body, platform: given.platform.trim() || platform, workspace: given.workspace.trim() } });
  });
  const { incidents, approvals } = workspace?.notifications ?? {};
  const chosen = { incidents: incidents?.policies ?? [], approvals: approvals?.policies ?? [] };
  const isKept = (name: string): boolean => workspace?.secret_names.includes(name) === true;
  const kept = { placeholder: 'Stored. Enter a new value to replace it.' };
  const notifies = entries.incidents === true || entries.approvals === true;
  const needsToken = (notifies || !asked.signing) && !isKept('notification_secret');
  return (
    <Sheet
      kind={workspace ? `Edit ${asked.name}` : 'Chat'}
      over="/integrations"
      title={<bdi>{workspace?.workspace ?? `Connect ${asked.name}`}</bdi>}
      actions={
        <>
          <Button kind="primary" busy={add.isPending || change.isPending} onClick={() => void save()}>
            {workspace ? 'Save' : 'Connect'}
          </Button>
          <SheetCancel />
          <Fault error={add.error ?? change.error} />
        </>
      }
    >
      {onPlatform && (
        <div>
          <Segments label="Chat" value={platform} options={OFFERED} onChange={onPlatform} />
        </div>
      )}
      {workspace?.problem && (
        <Alarm title="The last notification was not sent.">
          <p className="break-words">
            <bdi>{workspace.problem.message}</bdi>
          </p>
          <p className="text-muted">When you save, waiting notifications are sent at once.</p>
        </Alarm>
      )}
      <form
        className="flex flex-col gap-6"
        autoComplete="off"
        onSubmit={event => {
          event.preventDefault();
          void save();
        }}
      >
        {platform === OTHER_CHAT && (
          <TextField
            label="Platform"
            hint="The kind of the adapter that this installation has, as in the URL of its commands."
            maxLength={50}
            error={errors.platform?.message}
            {...register('platform', { validate: value => value.trim() !== '' || 'Platform is required.' })}
          />
        )}
        {!workspace && (
          <TextField
            label={asked.workspace.label}
            hint={asked.workspace.hint}
            maxLength={100}
            error={errors.workspace?.message}
            {...register('workspace', {
              validate: value => {
                if (value.trim() === '') return `${asked.workspace.label} is required.`;
                return asked.workspace.pattern?.test(value.trim()) !== false || 'Invalid format. See the hint above.';
              },
            })}
          />
        )}
        <Section title="Notifications" aside="Events and channels">
          <NotificationFields {...{ asked, entries, register, errors, chosen }} />
        </Section>
        <Section title="Credentials" aside="Stored encrypted, never shown again">
          <div className="flex flex-col gap-4 pt-3">
            {asked.signing && (
              <TextField
                type="password"
                label={asked.signing.label}
                hint={asked.signing.hint}
                autoComplete="new-password"
                maxLength={255}
                error={errors.signing_secret?.message}
                {...(isKept('signing_secret') && kept)}
                {...register('signing_secret', {
                  validate: value =>
                    value.trim() === ''
                      ? isKept('signing_secret') || `${asked.signing?.label} is required.`
                      : value.trim().length >= 16 || 'Enter at least 16 characters.',
                })}
              />
            )}
            <TextField
              type="password"
              label={asked.notification.label}
              hint={asked.notification.hint}
              autoComplete="new-password"
              maxLength={2048}
              optional={!needsToken}
              error={errors.notification_secret?.message}
              {...(isKept('notification_secret') && kept)}
              {...register('notification_secret', {
                validate: value =>
                  value.trim() === ''
                    ? !needsToken || `${asked.notification.label} is required for notifications.`
                    : value.trim().length >= 16 || 'Enter at least 16 characters.',
              })}
            />
          </div>
        </Section>
        <button type="submit" hidden aria-hidden tabIndex={-1} />
      </form>
      <Unsaved isDirty={() => isDirty && !isSaved.current} />
    </Sheet>
  );
}
