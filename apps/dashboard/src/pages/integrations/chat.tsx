import { useState } from 'react';
import { sentence } from '../../data/format.ts';
import { useMay } from '../../data/scopes.ts';
import { useAction, useList, type ItemOf } from '../../data/use-api.ts';
import { Ask } from '../../parts/ask.tsx';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Section } from '../../parts/page.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';
import { ChatLinks } from './chat-links.tsx';

/** A workspace of a chat platform whose commands are taken. */
type Workspace = ItemOf<'listChatWorkspaces'>;

type Asking = 'add' | { replace: Workspace } | { remove: Workspace };

/** Workspaces of chats that open tickets by commands, and who stands behind their accounts. */
export function Chat() {
  const mayWrite = useMay('itsm:write');
  const list = useList('listChatWorkspaces', {});
  const [asking, setAsking] = useState<Asking>();
  const close = (): void => setAsking(undefined);
  return (
    <>
      <Section
        title="Chat workspaces"
        aside={
          mayWrite && (
            <Button small onClick={() => setAsking('add')}>
              Add workspace…
            </Button>
          )
        }
      >
        {list.isPending && <Skeleton lines={2} />}
        {list.error && <Failure error={list.error} onRetry={list.retry} />}
        {!list.isPending && !list.error && list.items.length === 0 && (
          <p className="py-3 text-muted">No workspaces. Add one to view incidents and open tickets from chat.</p>
        )}
        <ul>
          {list.items.map(workspace => (
            <li
              key={workspace.id}
              className="flex min-h-10 flex-wrap items-center gap-x-4 gap-y-1 border-b border-line py-1"
            >
              <bdi className="min-w-0 flex-1 truncate font-medium">{workspace.workspace}</bdi>
              <span className="text-muted">{sentence(workspace.platform)}</span>
              <span className="text-muted">
                secret from <Time at={workspace.updated_at} day />
              </span>
              {mayWrite && (
                <span className="flex gap-2">
                  <Button small onClick={() => setAsking({ replace: workspace })}>
                    Replace secret…
                  </Button>
                  <Button small kind="danger" onClick={() => setAsking({ remove: workspace })}>
                    Remove…
                  </Button>
                </span>
              )}
            </li>
          ))}
        </ul>
        {list.hasMore && (
          <Button small className="mt-2 self-start" onClick={list.more} busy={list.isLoadingMore}>
            Show more
          </Button>
        )}
      </Section>
      {list.items.length > 0 && <ChatLinks workspaces={list.items} />}
      {asking === 'add' && <Add onClose={close} />}
      {typeof asking === 'object' && 'replace' in asking && <Replace workspace={asking.replace} onClose={close} />}
      {typeof asking === 'object' && 'remove' in asking && <Remove workspace={asking.remove} onClose={close} />}
    </>
  );
}

function Add({ onClose }: { onClose: () => void }) {
  const [platform, setPlatform] = useState('slack');
  const [workspace, setWorkspace] = useState('');
  const [secret, setSecret] = useState('');
  const add = useAction('registerChatWorkspace', ['listChatWorkspaces'], ({ workspace }) => {
    say(`Workspace ${workspace} added`);
    onClose();
  });
  return (
    <Ask
      open
      onClose={onClose}
      title="Add chat workspace"
      act="Add workspace"
      busy={add.isPending}
      error={add.error}
      onAct={() =>
        add.mutate({ body: { platform: platform.trim(), workspace: workspace.trim(), signing_secret: secret.trim() } })
      }
    >
      <TextField
        label="Platform"
        required
        maxLength={50}
        hint="As in the command URL, such as slack"
        value={platform}
        onChange={event => setPlatform(event.target.value)}
      />
      <TextField
        label="Workspace"
        required
        maxLength={100}
        hint="The workspace ID on the platform, such as T0123ABCD."
        value={workspace}
        onChange={event => setWorkspace(event.target.value)}
      />
      <Secret value={secret} onChange={setSecret} />
    </Ask>
  );
}

function Replace({ workspace, onClose }: { workspace: Workspace; onClose: () => void }) {
  const [secret, setSecret] = useState('');
  const change = useAction('updateChatWorkspace', ['listChatWorkspaces'], () => {
    say('Secret replaced');
    onClose();
  });
  return (
    <Ask
      open
      onClose={onClose}
      title={`Replace the secret of “${workspace.workspace}”?`}
      act="Replace secret"
      busy={change.isPending}
      error={change.error}
      onAct={() => change.mutate({ id: workspace.id, body: { signing_secret: secret.trim() } })}
    >
      <p>Commands signed with the previous secret are refused from now on.</p>
      <Secret value={secret} onChange={setSecret} />
    </Ask>
  );
}

function Remove({ workspace, onClose }: { workspace: Workspace; onClose: () => void }) {
  const remove = useAction('deleteChatWorkspace', ['listChatWorkspaces', 'listChatLinks'], () => {
    say('Workspace removed');
    onClose();
  });
  return (
    <Ask
      open
      onClose={onClose}
      title={`Remove “${workspace.workspace}”?`}
      act="Remove workspace"
      danger
      busy={remove.isPending}
      error={remove.error}
      onAct={() => remove.mutate({ id: workspace.id })}
    >
      <p>Its commands are refused from now on, and its account links are deleted.</p>
    </Ask>
  );
}

function Secret({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <TextField
      type="password"
      label="Signing secret"
      required
      minLength={16}
      maxLength={255}
      autoComplete="new-password"
      hint="The platform signs its requests with this secret. It is stored encrypted and never shown."
      value={value}
      onChange={event => onChange(event.target.value)}
    />
  );
}
