import { useState } from 'react';
import { useMay } from '../../data/scopes.ts';
import { useAction, useApi, useList, type ItemOf } from '../../data/use-api.ts';
import { Ask } from '../../parts/ask.tsx';
import { Button } from '../../parts/button.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Section } from '../../parts/page.tsx';
import { PersonField } from '../../parts/person-field.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { say } from '../../parts/toasts.tsx';

type Workspace = ItemOf<'listChatWorkspaces'>;
type Link = ItemOf<'listChatLinks'>;

/** Links between chat accounts and users. */
export function ChatLinks({ workspaces }: { workspaces: readonly Workspace[] }) {
  const mayWrite = useMay('itsm:write');
  const list = useList('listChatLinks', {});
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Link>();
  return (
    <Section
      title="Linked accounts"
      list={list}
      aside={
        mayWrite && (
          <Button small onClick={() => setAdding(true)}>
            Link account…
          </Button>
        )
      }
    >
      {list.isPending && <Skeleton lines={2} />}
      {list.error && <Failure error={list.error} onRetry={list.retry} />}
      {!list.isPending && !list.error && list.items.length === 0 && (
        <p className="py-3 text-muted">No linked accounts. Commands from unlinked accounts are refused.</p>
      )}
      <ul>
        {list.items.map(link => (
          <li key={link.id} className="flex min-h-10 flex-wrap items-center gap-x-4 border-b border-line py-1">
            <bdi className="font-mono text-small">{link.account}</bdi>
            <span className="text-muted">
              in <bdi>{link.workspace}</bdi> acts as
            </span>
            <PageLink to={`/users/${link.user_id}`} className="link min-w-0 flex-1 truncate">
              <Person id={link.user_id} />
            </PageLink>
            <span className="text-muted">{link.role}</span>
            {mayWrite && (
              <Button small kind="danger" onClick={() => setRemoved(link)}>
                Unlink…
              </Button>
            )}
          </li>
        ))}
      </ul>
      {list.hasMore && (
        <Button small className="mt-2 self-start" onClick={list.more} busy={list.isLoadingMore}>
          Show more
        </Button>
      )}
      {isAdding && <Add workspaces={workspaces} onClose={() => setAdding(false)} />}
      {removed && <Remove link={removed} onClose={() => setRemoved(undefined)} />}
    </Section>
  );
}

function Person({ id }: { id: string }) {
  const { data } = useApi('getUser', { id });
  return <bdi>{data?.name ?? id}</bdi>;
}

const ROLES = [
  ['member', 'Member: own data only'],
  ['auditor', 'Auditor: read-only'],
  ['admin', 'Admin'],
] as const;

function Add({ workspaces, onClose }: { workspaces: readonly Workspace[]; onClose: () => void }) {
  const [id, setId] = useState(workspaces[0]?.id ?? '');
  const [account, setAccount] = useState('');
  const [userId, setUserId] = useState('');
  const [role, setRole] = useState<Link['role']>('member');
  const add = useAction('createChatLink', ['listChatLinks'], () => {
    say('Account linked');
    onClose();
  });
  const workspace = workspaces.find(each => each.id === id);
  return (
    <Ask
      open
      onClose={onClose}
      title="Link account"
      act="Link account"
      busy={add.isPending}
      error={add.error}
      onAct={() => {
        if (!workspace || userId === '') return;
        const { platform, workspace: name } = workspace;
        add.mutate({ body: { platform, workspace: name, account: account.trim(), user_id: userId, role } });
      }}
    >
      <SelectField
        label="Workspace"
        options={workspaces.map(({ id, workspace }) => [id, workspace] as const)}
        value={id}
        onChange={event => setId(event.target.value)}
      />
      <TextField
        label="Account"
        required
        maxLength={100}
        hint="The account ID on the platform, such as U0123ABCD. Display names are not used."
        value={account}
        onChange={event => setAccount(event.target.value)}
      />
      <PersonField id={userId} onChange={setUserId} error={undefined} />
      <SelectField
        label="Role"
        options={ROLES}
        value={role}
        // The value is one of the options.
        onChange={event => setRole(event.target.value as Link['role'])}
      />
    </Ask>
  );
}

function Remove({ link, onClose }: { link: Link; onClose: () => void }) {
  const remove = useAction('deleteChatLink', ['listChatLinks'], () => {
    say('Account unlinked');
    onClose();
  });
  return (
    <Ask
      open
      onClose={onClose}
      title={`Unlink “${link.account}”?`}
      act="Unlink account"
      danger
      busy={remove.isPending}
      error={remove.error}
      onAct={() => remove.mutate({ id: link.id })}
    >
      <p>Commands from this account are refused from now on.</p>
    </Ask>
  );
}
