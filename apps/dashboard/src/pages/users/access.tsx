import type { AnswerOf } from '../../data/call.ts';
import { plural } from '../../data/format.ts';
import { useMay } from '../../data/scopes.ts';
import { useApi } from '../../data/use-api.ts';
import { Facts, type Fact } from '../../parts/facts.tsx';
import { Section } from '../../parts/page.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Time } from '../../parts/time.tsx';

type User = AnswerOf<'getUser'>;

const CAUSES = { offboarding: 'Offboarding', scim: 'The identity provider' };

/** The access of a person: devices and requests for approval. If access is revoked, also since when and why. */
export function Access({ user }: { user: User }) {
  const isSuspended = user.status === 'suspended';
  const isPlanned = !isSuspended && user.departs_at !== null;
  return (
    <Section title={isSuspended ? 'Access revoked' : isPlanned ? 'Offboarding planned' : 'Access'}>
      <Facts
        facts={[
          ['Since', user.suspended_at === null ? undefined : <Time key="since" at={user.suspended_at} />],
          ['Cause', isSuspended ? user.suspension_causes.map(cause => CAUSES[cause]).join(', ') : undefined],
          [
            'Access ends',
            !isSuspended && user.departs_at !== null ? <Time key="ends" at={user.departs_at} /> : undefined,
          ],
          ['Reason', user.departure_reason ?? undefined],
          ['Calls to models', isSuspended ? 'Blocked' : undefined],
          ...heldBy(user.id),
        ]}
      />
    </Section>
  );
}

/** What a person has that an offboarding affects. */
export function Held({ userId }: { userId: string }) {
  return <Facts facts={heldBy(userId)} />;
}

function heldBy(userId: string): Fact[] {
  return [
    ['Devices', <Devices key="devices" userId={userId} />],
    ['Pending approvals and grants', <Grants key="grants" userId={userId} />],
    ['Machine tokens created', <MachineTokens key="tokens" userId={userId} />],
  ];
}

/** Roles of tokens that belong to a machine, not to a person. */
const MACHINE_ROLES = new Set(['agent', 'scim']);

/** Number of machine tokens that a person created, and what becomes of them when the person's access ends. */
function MachineTokens({ userId }: { userId: string }) {
  const mayRead = useMay('tokens:read');
  const { data } = useApi('listTokens', { issued_by: userId, limit: 100 }, { enabled: mayRead });
  if (!mayRead) return <span className="text-muted">No permission</span>;
  if (!data) return '…';
  const machines = data.items.filter(({ role }) => MACHINE_ROLES.has(role)).length;
  if (machines === 0 && !data.has_more) return 'None';
  return `${data.has_more ? 'At least ' : ''}${machines}, valid until revoked or expired`;
}

function Devices({ userId }: { userId: string }) {
  const mayRead = useMay('devices:read');
  const { data } = useApi('listDevices', { user_id: userId, status: 'active', limit: 100 }, { enabled: mayRead });
  if (!mayRead) return <span className="text-muted">No permission</span>;
  if (!data) return '…';
  if (data.items.length === 0) return 'None';
  return (
    <PageLink to="/devices" search={{ user_id: userId }} className="link">
      {data.has_more ? 'More than 100 active' : `${data.items.length} active`}
    </PageLink>
  );
}

function Grants({ userId }: { userId: string }) {
  const mayRead = useMay('approvals:read');
  const { data } = useApi('listApprovals', { user_id: userId, limit: 100 }, { enabled: mayRead });
  if (!mayRead) return <span className="text-muted">No permission</span>;
  if (!data) return '…';
  const pending = data.items.filter(({ status }) => status === 'pending').length;
  const granted = data.items.filter(({ status }) => status === 'approved').length;
  if (pending + granted === 0) return 'None';
  return (
    <PageLink to="/approvals" search={{ user_id: userId }} className="link">
      {`${plural(pending, 'request')}, ${plural(granted, 'grant')}`}
    </PageLink>
  );
}
