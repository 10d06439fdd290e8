import { useNavigate, useParams } from '@tanstack/react-router';
import { KeyRound, ShieldX } from 'lucide-react';
import { useState } from 'react';
import { plural, sentence } from '../../data/format.ts';
import { useMay, useMe } from '../../data/scopes.ts';
import { useAction } from '../../data/use-api.ts';
import { useWhole } from '../../data/use-whole.ts';
import { Ask } from '../../parts/ask.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyText } from '../../parts/copy-text.tsx';
import { Facts } from '../../parts/facts.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Section } from '../../parts/page.tsx';
import { PersonName } from '../../parts/person-name.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { Empty, Failure, Skeleton } from '../../parts/states.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';
import type { Token } from './tokens.tsx';

/** Sheet of one access token: its scopes, and actions to rotate or revoke it. */
export function TokenSheet() {
  const { tokenId = '' } = useParams({ strict: false });
  const mayWrite = useMay('tokens:write');
  // The API has no route for a single token, so the token is searched in the list.
  const list = useWhole('listTokens', {});
  const token = list.items.find(({ id }) => id === tokenId);
  return (
    <Sheet
      kind="Access token"
      over="/settings"
      title={<bdi>{token?.name ?? 'Access token'}</bdi>}
      actions={token && mayWrite && <Actions key={token.id} token={token} />}
    >
      {list.isPending && <Skeleton lines={5} />}
      {list.error && <Failure error={list.error} onRetry={list.retry} />}
      {!list.isPending && !list.error && !token && (
        <Empty title="This token does not exist.">It was revoked, has expired, or was never created.</Empty>
      )}
      {token && <About token={token} />}
    </Sheet>
  );
}

function About({ token }: { token: Token }) {
  return (
    <>
      <Facts
        facts={[
          ['Role', sentence(token.role)],
          ['Owner', token.user_id === null ? 'Organization' : <PersonName key="person" id={token.user_id} />],
          [
            'Created by',
            token.issued_by.length > 0
              ? token.issued_by.map((each, at) => (
                  <span key={each} className="block">
                    {at === 0 ? '' : 'Via '}
                    {/^[\da-f-]{36}$/.test(each) ? <PersonName id={each} /> : <bdi>{each}</bdi>}
                  </span>
                ))
              : token.issued_by_token === null
                ? 'Operator'
                : 'Operator token',
          ],
          ['Created', <Time key="made" at={token.created_at} />],
          ['Last used', token.last_used_at === null ? 'Never' : <Ago key="used" at={token.last_used_at} />],
          ['Expires', token.expires_at === null ? 'Never' : <Time key="ends" at={token.expires_at} />],
          ['Secret rotated', token.rotated_at ? <Time key="rotated" at={token.rotated_at} /> : undefined],
          [
            'Previous secret accepted',
            token.previous_until ? (
              <span key="previous">
                Until <Time at={token.previous_until} />
              </span>
            ) : undefined,
          ],
          ['Models', token.models ? <bdi key="models">{token.models.join(', ')}</bdi> : undefined],
          ['Project', token.project ? <bdi key="project">{token.project}</bdi> : undefined],
          ...Object.entries(token.tags ?? {}).map(
            ([key, value]) => [`Tag ${key}`, <bdi key={key}>{value}</bdi>] as const,
          ),
          ['ID', <CopyText key="id" text={token.id} what="token ID" />],
        ]}
      />
      <Section title="Scopes" aside={plural(token.scopes.length, 'scope')}>
        <ul className="columns-2 pt-2 font-mono text-small">
          {token.scopes.map(scope => (
            <li key={scope} className="py-0.5">
              {scope}
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}

function Actions({ token }: { token: Token }) {
  const me = useMe();
  const navigate = useNavigate();
  const [asking, setAsking] = useState<'rotate' | 'revoke'>();
  const close = (): void => setAsking(undefined);
  const revoke = useAction('revokeToken', ['listTokens', 'listSessions'], () => {
    say(`Token “${token.name}” revoked`);
    void navigate({ to: '/settings', search: (previous: Record<string, string>) => previous });
  });
  return (
    <>
      <Button kind="primary" icon={KeyRound} onClick={() => setAsking('rotate')}>
        Rotate…
      </Button>
      <Button kind="danger" icon={ShieldX} className="ml-auto" onClick={() => setAsking('revoke')}>
        Revoke…
      </Button>
      {asking === 'rotate' && <Rotate token={token} onClose={close} />}
      {asking === 'revoke' && (
        <Ask
          open
          onClose={close}
          title={`Revoke “${token.name}”?`}
          act="Revoke token"
          danger
          busy={revoke.isPending}
          error={revoke.error}
          onAct={() => revoke.mutate({ id: token.id })}
        >
          <p>It stops working at once, together with all tokens and sessions created with it. You cannot undo this.</p>
          {me.id === token.id && (
            <p className="font-medium text-critical">You are signed in with this token, so you will be signed out.</p>
          )}
        </Ask>
      )}
    </>
  );
}

const OVERLAPS = [
  ['24', 'for 24 hours'],
  ['1', 'for one hour'],
  ['0', 'not at all: it is compromised'],
] as const;

function Rotate({ token, onClose }: { token: Token; onClose: () => void }) {
  const [overlap, setOverlap] = useState('24');
  const rotate = useAction('rotateToken', ['listTokens']);
  const secret = rotate.data?.token;
  return (
    <Ask
      open
      onClose={onClose}
      title={secret === undefined ? `Rotate the secret of “${token.name}”?` : 'Secret rotated'}
      act={secret === undefined ? 'Rotate' : 'I have copied it'}
      busy={rotate.isPending}
      error={rotate.error}
      onAct={() =>
        secret === undefined ? rotate.mutate({ id: token.id, body: { overlap_hours: Number(overlap) } }) : onClose()
      }
    >
      {secret === undefined ? (
        <SelectField
          label="Previous secret is accepted"
          hint="The token keeps its ID, budgets and limits."
          options={OVERLAPS}
          value={overlap}
          onChange={event => setOverlap(event.target.value)}
        />
      ) : (
        <ShownOnce what="access token" secret={secret} />
      )}
    </Ask>
  );
}
