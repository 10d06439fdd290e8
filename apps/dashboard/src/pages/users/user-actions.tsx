import { Power, UserCheck, UserX } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import type { AnswerOf, Operation } from '../../data/call.ts';
import { plural } from '../../data/format.ts';
import { useMay } from '../../data/scopes.ts';
import { useAction } from '../../data/use-api.ts';
import { Ask } from '../../parts/ask.tsx';
import { Button } from '../../parts/button.tsx';
import { Fault } from '../../parts/fault.tsx';
import { CheckField, DateField, TextField } from '../../parts/field.tsx';
import { useZone } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';
import { Held } from './access.tsx';

type User = AnswerOf<'getUser'>;

const TOUCHED: readonly Operation[] = ['getUser', 'listUsers', 'listDevices', 'listApprovals'];

/** The actions on a person's access that their status allows. */
export function UserActions({ user }: { user: User }) {
  const [isAsking, setAsking] = useState(false);
  const isOffboarded = user.suspension_causes.includes('offboarding');
  const isPlanned = !isOffboarded && user.departs_at !== null;
  const reinstate = useAction('reinstateUser', TOUCHED, () => say(`${user.name} reinstated`));
  const change = useAction('updateUser', TOUCHED, ({ status }) => say(`${user.name} is ${status}`));
  const setStatus = (status: 'active' | 'inactive'): void => change.mutate({ id: user.id, body: { status } });
  return (
    <>
      {(isOffboarded || isPlanned) && (
        <Button
          kind="primary"
          icon={UserCheck}
          busy={reinstate.isPending}
          onClick={() => reinstate.mutate({ id: user.id, body: {} })}
        >
          {isPlanned ? 'Cancel offboarding' : 'Reinstate'}
        </Button>
      )}
      {user.status === 'active' && (
        <Button icon={Power} busy={change.isPending} onClick={() => setStatus('inactive')}>
          Deactivate
        </Button>
      )}
      {user.status === 'inactive' && (
        <Button icon={Power} busy={change.isPending} onClick={() => setStatus('active')}>
          Activate
        </Button>
      )}
      {!isOffboarded && (
        <Button kind="danger" icon={UserX} className="ml-auto" onClick={() => setAsking(true)}>
          {isPlanned ? 'Change offboarding…' : 'Offboard…'}
        </Button>
      )}
      <Fault error={reinstate.error ?? change.error} />
      {isAsking && <Offboard user={user} onClose={() => setAsking(false)} />}
    </>
  );
}

interface OffboardForm {
  date: string;
  reason: string;
  revoke: boolean;
}

function Offboard({ user, onClose }: { user: User; onClose: () => void }) {
  const zone = useZone();
  const mayRevoke = useMay('tokens:write');
  const { register, getValues } = useForm<OffboardForm>({ defaultValues: { date: '', reason: '', revoke: false } });
  const offboard = useAction('offboardUser', TOUCHED, ({ status, machine_tokens_total }) => {
    const tokens = machine_tokens_total
      ? `${plural(machine_tokens_total, 'machine token')} created by this user.`
      : undefined;
    say(status === 'suspended' ? `${user.name} offboarded` : `Offboarding of ${user.name} scheduled`, tokens);
    onClose();
  });
  const act = (): void => {
    const { date, reason, revoke } = getValues();
    offboard.mutate({
      id: user.id,
      body: {
        ...(date !== '' && { departure_date: date }),
        ...(reason !== '' && { reason }),
        ...(revoke && { revoke_machine_tokens: true }),
      },
    });
  };
  return (
    <Ask
      open
      onClose={onClose}
      title={`Offboard ${user.name}?`}
      act="Offboard"
      danger
      busy={offboard.isPending}
      error={offboard.error}
      onAct={act}
    >
      <p>
        When access ends, all calls of this user are blocked, their devices are revoked and webhooks are sent. You can
        reinstate the user later.
      </p>
      <Held userId={user.id} />
      <DateField
        label="Access ends on"
        optional
        hint={`Start of the day in ${zone}. Leave empty to end access now.`}
        {...register('date')}
      />
      <TextField
        label="Reason"
        optional
        hint="Stored with the user and sent with the event."
        maxLength={500}
        {...register('reason')}
      />
      {mayRevoke && (
        <CheckField
          label="Revoke machine tokens created by this user"
          hint="Otherwise they stay valid. Agents and directories that use a revoked token stop working."
          {...register('revoke')}
        />
      )}
    </Ask>
  );
}
