import { useRef, useState } from 'react';
import { useForm } from 'react-hook-form';
import type { AnswerOf } from '../../data/call.ts';
import { useAction } from '../../data/use-api.ts';
import { API_ROOT } from '../../data/address.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { CopyText } from '../../parts/copy-text.tsx';
import { Fault } from '../../parts/fault.tsx';
import { Facts } from '../../parts/facts.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { PersonField } from '../../parts/person-field.tsx';
import { PersonName } from '../../parts/person-name.tsx';
import { Sheet, SheetCancel } from '../../parts/sheet.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { Time } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';
import { Unsaved } from '../../parts/unsaved.tsx';

const HOUR = 3_600_000;

const LIFETIMES = [
  ['1', 'one hour'],
  ['24', '24 hours'],
  ['168', '7 days'],
  ['720', '30 days (maximum)'],
] as const;

interface Fields {
  name: string;
  hours: string;
}

/** Sheet to create a one-time token with which a device is enrolled. The token is shown only once. */
export function EnrollSheet() {
  const { register, handleSubmit, formState } = useForm<Fields>({
    defaultValues: { name: '', hours: '24' },
    mode: 'onTouched',
  });
  const [userId, setUserId] = useState('');
  const isSaved = useRef(false);
  const create = useAction('createDeviceEnrollment', [], () => {
    isSaved.current = true;
  });
  const save = handleSubmit(({ name, hours }) => {
    if (userId === '') return;
    create.mutate({ body: { user_id: userId, name: name.trim(), ...endOf(hours) } });
  });
  if (create.data) return <Enrollment enrollment={create.data} />;
  return (
    <Sheet
      kind="Device"
      over="/devices"
      title="Enroll device"
      actions={
        <>
          <Button kind="primary" busy={create.isPending} onClick={() => void save()}>
            Create token
          </Button>
          <SheetCancel />
          <Fault error={create.error} />
        </>
      }
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={event => {
          event.preventDefault();
          void save();
        }}
      >
        <PersonField
          id={userId}
          onChange={setUserId}
          error={formState.isSubmitted && userId === '' ? 'Choose a user.' : undefined}
        />
        <TextField
          label="Device name"
          hint="For example, Laptop 17."
          maxLength={255}
          error={formState.errors.name?.message}
          {...register('name', { validate: value => value.trim() !== '' || 'Enter a device name.' })}
        />
        <SelectField label="Token expires after" options={LIFETIMES} {...register('hours')} />
        <button type="submit" hidden aria-hidden tabIndex={-1} />
      </form>
      <Unsaved isDirty={() => (formState.isDirty || userId !== '') && !isSaved.current} />
    </Sheet>
  );
}

/**
 * Time at which the token expires. Undefined for the server's default of 24 hours. The maximum is reduced by a minute,
 * because the clocks of browser and server may differ.
 */
function endOf(hours: string): { expires_at?: string } {
  if (hours === '24') return {};
  return { expires_at: new Date(Date.now() + Number(hours) * HOUR - 60_000).toISOString() };
}

function Enrollment({ enrollment }: { enrollment: AnswerOf<'createDeviceEnrollment'> }) {
  const { id, name, user_id, token, expires_at } = enrollment;
  const takeBack = useAction('deleteDeviceEnrollment', [], () => say('Token revoked'));
  return (
    <Sheet
      kind="New device"
      over="/devices"
      title={<bdi>{name}</bdi>}
      actions={
        <>
          <PageLink to="/devices" keep className={buttonClass('primary')}>
            {takeBack.isSuccess ? 'Back to devices' : 'I have copied it'}
          </PageLink>
          {!takeBack.isSuccess && (
            <Button kind="danger" className="ml-auto" busy={takeBack.isPending} onClick={() => takeBack.mutate({ id })}>
              Revoke token
            </Button>
          )}
          <Fault error={takeBack.error} />
        </>
      }
    >
      {takeBack.isSuccess ? (
        <p>Token revoked. No device can enroll with it.</p>
      ) : (
        <ShownOnce what="enrollment token" secret={token}>
          The device creates a key and sends a certificate request with this token. The token works once.
        </ShownOnce>
      )}
      <Facts
        facts={[
          ['User', <PersonName key="person" id={user_id} />],
          ['Expires', <Time key="until" at={expires_at} />],
          ['Enrollment URL', <CopyText key="url" text={`${API_ROOT}/devices/enroll`} what="enrollment URL" />],
        ]}
      />
    </Sheet>
  );
}
