import { useParams } from '@tanstack/react-router';
import { ShieldX } from 'lucide-react';
import { useState } from 'react';
import type { AnswerOf, InputOf } from '../../data/call.ts';
import { sentence } from '../../data/format.ts';
import { useMay } from '../../data/scopes.ts';
import { useAction, useApi } from '../../data/use-api.ts';
import { Ask } from '../../parts/ask.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyText } from '../../parts/copy-text.tsx';
import { Facts } from '../../parts/facts.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Mark } from '../../parts/marks.tsx';
import { PersonName } from '../../parts/person-name.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';

type Device = AnswerOf<'getDevice'>;

/** Sheet of one device: owner, certificate, and the action to revoke it. */
export function DeviceSheet() {
  const { id = '' } = useParams({ strict: false });
  const device = useApi('getDevice', { id });
  const mayWrite = useMay('devices:write');
  const [isAsking, setAsking] = useState(false);
  const { data } = device;
  const canRevoke = data !== undefined && mayWrite && data.crl_reason !== 'key_compromise';
  return (
    <Sheet
      kind="Device"
      over="/devices"
      title={<bdi>{data?.name ?? 'Device'}</bdi>}
      actions={
        canRevoke && (
          <Button kind="danger" icon={ShieldX} className="ml-auto" onClick={() => setAsking(true)}>
            {data.status === 'revoked' ? 'Report key compromise…' : 'Revoke…'}
          </Button>
        )
      }
    >
      {device.isPending && <Skeleton lines={5} />}
      {device.error && <Failure error={device.error} onRetry={() => void device.refetch()} />}
      {data && (
        <Facts
          facts={[
            ['Status', <Mark key="status" of={data.status} />],
            ['User', <PersonName key="person" id={data.user_id} />],
            ['Revoked', data.revoked_at === null ? undefined : <Time key="revoked" at={data.revoked_at} />],
            ['Reason', data.crl_reason === null ? undefined : sentence(data.crl_reason)],
            ['Comment', data.revocation_reason === null ? undefined : <bdi key="why">{data.revocation_reason}</bdi>],
            ['Certificate expires', <Time key="ends" at={data.certificate_expires_at} />],
            ['Enrolled', <Time key="enrolled" at={data.created_at} />],
            ['Serial number', <CopyText key="serial" text={data.certificate_serial} what="serial number" />],
            ['SHA-256', <CopyText key="print" text={data.fingerprint_sha256} what="fingerprint" short />],
            ['ID', <CopyText key="id" text={data.id} what="device ID" />],
          ]}
        />
      )}
      {isAsking && data && <Revoke device={data} onClose={() => setAsking(false)} />}
    </Sheet>
  );
}

type Reason = NonNullable<NonNullable<InputOf<'revokeDevice'>['body']>['crl_reason']>;

const REASONS: readonly (readonly [Reason, string])[] = [
  ['unspecified', 'Unspecified'],
  ['key_compromise', 'Key compromise: never certify this key again'],
  ['affiliation_changed', 'Affiliation changed'],
  ['superseded', 'Superseded by another device'],
  ['cessation_of_operation', 'No longer in use'],
  ['privilege_withdrawn', 'Privilege withdrawn'],
];

function Revoke({ device: { id, name, status }, onClose }: { device: Device; onClose: () => void }) {
  const isRevoked = status === 'revoked';
  const [reason, setReason] = useState('');
  const [why, setWhy] = useState<Reason>(isRevoked ? 'key_compromise' : 'unspecified');
  const revoke = useAction('revokeDevice', ['getDevice', 'listDevices'], () => {
    say(`Device ${name} revoked`);
    onClose();
  });
  return (
    <Ask
      open
      onClose={onClose}
      title={isRevoked ? `Report a key compromise for “${name}”?` : `Revoke “${name}”?`}
      act={isRevoked ? 'Report compromise' : 'Revoke device'}
      danger
      busy={revoke.isPending}
      error={revoke.error}
      onAct={() =>
        revoke.mutate({
          id,
          body: { crl_reason: why, ...(reason.trim() !== '' && { reason: reason.trim() }) },
        })
      }
    >
      <p>
        {isRevoked
          ? 'The key is never certified again. You cannot undo this.'
          : 'Revoked from the next decision on. You cannot undo this; enroll the device again instead.'}
      </p>
      {!isRevoked && (
        <SelectField
          label="Reason"
          options={REASONS}
          value={why}
          // The value is always one of the options.
          onChange={event => setWhy(event.target.value as Reason)}
        />
      )}
      <TextField
        label="Comment"
        optional
        maxLength={255}
        value={reason}
        onChange={event => setReason(event.target.value)}
      />
    </Ask>
  );
}
