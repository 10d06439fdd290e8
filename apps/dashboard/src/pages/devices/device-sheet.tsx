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

/** One device: whose it is, its certificate, and how to end it. */
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
          <Button kind="danger" icon={ShieldX} onClick={() => setAsking(true)}>
            {data.status === 'revoked' ? 'Its key is known to others…' : 'Revoke…'}
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
            ['Person', <PersonName key="person" id={data.user_id} />],
            ['Revoked', data.revoked_at === null ? undefined : <Time key="revoked" at={data.revoked_at} />],
            ['Why', data.crl_reason === null ? undefined : sentence(data.crl_reason)],
            ['In words', data.revocation_reason === null ? undefined : <bdi key="why">{data.revocation_reason}</bdi>],
            ['Certificate ends', <Time key="ends" at={data.certificate_expires_at} />],
            ['Enrolled', <Time key="enrolled" at={data.created_at} />],
            ['Serial number', <CopyText key="serial" text={data.certificate_serial} what="serial number" />],
            ['SHA-256', <CopyText key="print" text={data.fingerprint_sha256} what="fingerprint" />],
            ['Id', <CopyText key="id" text={data.id} what="device id" />],
          ]}
        />
      )}
      {isAsking && data && <Revoke device={data} onClose={() => setAsking(false)} />}
    </Sheet>
  );
}

type Reason = NonNullable<NonNullable<InputOf<'revokeDevice'>['body']>['crl_reason']>;

const REASONS: readonly (readonly [Reason, string])[] = [
  ['unspecified', 'No reason of these'],
  ['key_compromise', 'Its key is known to others: never certify it again'],
  ['affiliation_changed', 'Its person works elsewhere'],
  ['superseded', 'Another device took its place'],
  ['cessation_of_operation', 'It is not used any more'],
  ['privilege_withdrawn', 'It may not do this any more'],
];

function Revoke({ device: { id, name, status }, onClose }: { device: Device; onClose: () => void }) {
  const isRevoked = status === 'revoked';
  const [reason, setReason] = useState('');
  const [why, setWhy] = useState<Reason>(isRevoked ? 'key_compromise' : 'unspecified');
  const revoke = useAction('revokeDevice', ['getDevice', 'listDevices'], () => {
    say(`${name} is revoked`);
    onClose();
  });
  return (
    <Ask
      open
      onClose={onClose}
      title={isRevoked ? `Say that the key of “${name}” is known?` : `Revoke “${name}”?`}
      act={isRevoked ? 'Say so' : 'Revoke device'}
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
          ? 'The key is never certified again. This cannot be taken back.'
          : 'From the next decision on it counts as revoked. It cannot be brought back: enroll it anew.'}
      </p>
      {!isRevoked && (
        <SelectField
          label="Why"
          options={REASONS}
          value={why}
          // The values are those of the options.
          onChange={event => setWhy(event.target.value as Reason)}
        />
      )}
      <TextField
        label="In your own words"
        optional
        maxLength={255}
        value={reason}
        onChange={event => setReason(event.target.value)}
      />
    </Ask>
  );
}
