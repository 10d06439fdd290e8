import { useState } from 'react';
import { useMay } from '../../data/scopes.ts';
import { useAction, useList } from '../../data/use-api.ts';
import { Ask } from '../../parts/ask.tsx';
import { Button, buttonClass } from '../../parts/button.tsx';
import { cx } from '../../parts/cx.ts';
import { Mark } from '../../parts/marks.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Section } from '../../parts/page.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';
import { severityBar } from '../../parts/tone.ts';
import { ChatLinks } from './chat-links.tsx';
import { chatPlatform, inWords, type Workspace } from './workspace-entries.ts';

/** Chat workspaces, which get notifications and send commands, and the links of their accounts to users. */
export function Chat() {
  const mayWrite = useMay('itsm:write');
  const list = useList('listChatWorkspaces', {});
  const [removed, setRemoved] = useState<Workspace>();
  const withCommands = list.items.filter(({ platform }) => chatPlatform(platform).signing !== undefined);
  return (
    <>
      <Section
        title="Chats"
        list={list}
        aside={
          mayWrite && (
            <PageLink to="/integrations/chat/new" keep className={buttonClass('plain', true)}>
              Connect chat
            </PageLink>
          )
        }
      >
        {list.isPending && <Skeleton lines={2} />}
        {list.error && <Failure error={list.error} onRetry={list.retry} />}
        {!list.isPending && !list.error && list.items.length === 0 && (
          <p className="py-3 text-muted">
            No chats. Connect Slack or Microsoft Teams to announce incidents and requests for approval in a channel.
          </p>
        )}
        <ul>
          {list.items.map(workspace => (
            <Row key={workspace.id} workspace={workspace} {...(mayWrite && { onRemove: setRemoved })} />
          ))}
        </ul>
        {list.hasMore && (
          <Button small className="mt-2 self-start" onClick={list.more} busy={list.isLoadingMore}>
            Show more
          </Button>
        )}
      </Section>
      {withCommands.length > 0 && <ChatLinks workspaces={withCommands} />}
      {removed && <Remove workspace={removed} onClose={() => setRemoved(undefined)} />}
    </>
  );
}

function Row({ workspace, onRemove }: { workspace: Workspace; onRemove?: (workspace: Workspace) => void }) {
  const { id, platform, workspace: name, problem } = workspace;
  return (
    <li
      className={cx(
        'flex min-h-10 flex-wrap items-center gap-x-4 gap-y-1 border-b border-line py-2',
        problem && 'relative before:absolute before:inset-y-1.5 before:-left-3 before:w-0.5',
        problem && severityBar('failed'),
      )}
    >
      <div className="min-w-0 flex-1 basis-60">
        <p className="flex flex-wrap items-center gap-x-3">
          {onRemove ? (
            <PageLink to={`/integrations/chat/${id}`} keep className="min-w-0 font-medium break-words">
              <bdi>{name}</bdi>
            </PageLink>
          ) : (
            <bdi className="font-medium break-words">{name}</bdi>
          )}
          <span className="text-muted">{chatPlatform(platform).name}</span>
        </p>
        <p className="break-words text-muted">
          <bdi>{inWords(workspace)}</bdi>
        </p>
        {problem && (
          <p className="flex flex-wrap items-center gap-x-2 break-words">
            <Mark of="failed" word="Not sent" />
            <bdi className="min-w-0">{problem.message}</bdi> <Ago at={problem.since} />
          </p>
        )}
      </div>
      {onRemove && (
        <span className="flex gap-2">
          <PageLink
            to={`/integrations/chat/${id}`}
            keep
            className={buttonClass('plain', true)}
            aria-label={`Edit ${name}`}
          >
            Edit
          </PageLink>
          <Button small kind="danger" aria-label={`Remove ${name}…`} onClick={() => onRemove(workspace)}>
            Remove…
          </Button>
        </span>
      )}
    </li>
  );
}

function Remove({ workspace, onClose }: { workspace: Workspace; onClose: () => void }) {
  const remove = useAction('deleteChatWorkspace', ['listChatWorkspaces', 'listChatLinks'], () => {
    say(`${workspace.workspace} removed`);
    onClose();
  });
  return (
    <Ask
      open
      onClose={onClose}
      title={`Remove “${workspace.workspace}”?`}
      act="Remove"
      danger
      busy={remove.isPending}
      error={remove.error}
      onAct={() => remove.mutate({ id: workspace.id })}
    >
      <p>Its notifications end, its commands are refused from now on, and its account links are deleted.</p>
    </Ask>
  );
}
