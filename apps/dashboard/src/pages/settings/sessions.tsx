import { useState } from 'react';
import { useMay } from '../../data/scopes.ts';
import { useAction, useList, type ItemOf } from '../../data/use-api.ts';
import { Ask } from '../../parts/ask.tsx';
import { Button } from '../../parts/button.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import type { Column } from '../../parts/data-table/columns.ts';
import { Section } from '../../parts/page.tsx';
import { Ago } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';
import { browserOf } from './browser-of.ts';

type Session = ItemOf<'listSessions'>;

const COLUMNS: readonly Column<Session>[] = [
  {
    id: 'who',
    head: 'User',
    cell: ({ name, user_email, current }) => (
      <>
        <bdi className="font-medium">{user_email ?? name}</bdi>
        {current && (
          <span className="ml-2 rounded-sm bg-wash px-1.5 text-small font-medium text-accent">This browser</span>
        )}
      </>
    ),
    below: ({ user_agent, last_input_at }) => (
      <>
        {user_agent === null ? 'Unknown browser' : browserOf(user_agent)} · active <Ago at={last_input_at} />
      </>
    ),
  },
  { id: 'by', head: 'Signed in with', width: 'w-48', wideOnly: true, cell: session => <By session={session} /> },
  {
    id: 'browser',
    head: 'Browser',
    width: 'w-44',
    wideOnly: true,
    cell: ({ user_agent }) => (
      <span title={user_agent ?? undefined}>{user_agent === null ? 'Unknown' : browserOf(user_agent)}</span>
    ),
  },
  {
    id: 'address',
    head: 'IP address',
    width: 'w-36',
    wideOnly: true,
    cell: ({ address }) => <span className="font-mono text-small">{address ?? 'Unknown'}</span>,
  },
  {
    id: 'input',
    head: 'Last active',
    width: 'w-32',
    wideOnly: true,
    align: 'end',
    cell: ({ last_input_at }) => <Ago at={last_input_at} />,
  },
  {
    id: 'ends',
    head: 'Expires',
    width: 'w-32',
    wideOnly: true,
    align: 'end',
    cell: ({ idle_at, expires_at }) => <Ago at={idle_at < expires_at ? idle_at : expires_at} />,
  },
  {
    id: 'act',
    head: 'Action',
    width: 'w-24',
    align: 'end',
    cell: session => <EndButton session={session} />,
  },
];

/** Sessions of the dashboard, with their browser and address. */
export function Sessions() {
  const mayReadAll = useMay('tokens:read');
  const list = useList('listSessions', { limit: 25 });
  return (
    <Section title="Dashboard sessions" list={list} aside={mayReadAll ? undefined : 'Yours only'}>
      <DataTable
        caption="Sessions"
        columns={COLUMNS}
        list={list}
        rowKey={({ id }) => id}
        empty={<p className="py-3 text-muted">No active sessions.</p>}
      />
    </Section>
  );
}

function EndButton({ session }: { session: Session }) {
  const mayReadAll = useMay('tokens:read');
  const mayEndAll = useMay('tokens:write');
  const [isAsking, setAsking] = useState(false);
  // People who may not see the sessions of others see only their own.
  if (!session.current && !mayEndAll && mayReadAll) return null;
  return (
    <>
      <Button
        small
        aria-label={`End the session of ${session.user_email ?? session.name}`}
        onClick={() => setAsking(true)}
      >
        End…
      </Button>
      {isAsking && <End session={session} onClose={() => setAsking(false)} />}
    </>
  );
}

function By({ session: { credential, user_email, name } }: { session: Session }) {
  if (credential === 'oidc') return 'Identity provider';
  return user_email === null ? (
    'Access token'
  ) : (
    <>
      Token “<bdi>{name}</bdi>”
    </>
  );
}

function End({ session, onClose }: { session: Session; onClose: () => void }) {
  const end = useAction('revokeSession', ['listSessions'], () => {
    say('Session ended');
    onClose();
  });
  return (
    <Ask
      open
      onClose={onClose}
      title={session.current ? 'End your session?' : `End the session of ${session.user_email ?? session.name}?`}
      act="End session"
      danger
      busy={end.isPending}
      error={end.error}
      onAct={() => end.mutate({ id: session.id })}
    >
      <p>
        {session.current
          ? 'You need to sign in again.'
          : 'The browser is signed out at its next request. If the credential is compromised, revoke it too.'}
      </p>
    </Ask>
  );
}
