import { Ban, Check } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import type { AnswerOf, Operation } from '../../data/call.ts';
import { addDays, startOfDay } from '../../data/time.ts';
import { useAction } from '../../data/use-api.ts';
import { Ask } from '../../parts/ask.tsx';
import { Button } from '../../parts/button.tsx';
import { DateField, TextArea } from '../../parts/field.tsx';
import { useZone } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';

const TOUCHED: readonly Operation[] = ['getApproval', 'listApprovals'];

/** Actions to approve or deny a request, and to revoke a grant. */
export function ApprovalActions({ approval }: { approval: AnswerOf<'getApproval'> }) {
  const [asking, setAsking] = useState<'approve' | 'deny' | 'revoke' | null>(null);
  const zone = useZone();
  const { register, getValues } = useForm({ defaultValues: { reason: '', until: '' } });
  const done = (what: string) => (): void => {
    say(what);
    setAsking(null);
  };
  const approve = useAction('approveRequest', TOUCHED, done('Request approved'));
  const deny = useAction('denyRequest', TOUCHED, done('Request denied'));
  const revoke = useAction('revokeGrant', TOUCHED, done('Grant revoked'));
  const action = { approve, deny, revoke }[asking ?? 'approve'];
  const act = (): void => {
    const { reason, until } = getValues();
    const why = reason.trim() === '' ? {} : { reason: reason.trim() };
    const { id } = approval;
    if (asking === 'deny') deny.mutate({ id, body: why });
    else if (asking === 'revoke') revoke.mutate({ id, body: why });
    else
      approve.mutate({
        id,
        body: { ...why, ...(until !== '' && { expires_at: startOfDay(addDays(until, 1), zone).toISOString() }) },
      });
  };
  const who = approval.user_email ?? 'this person';
  const titles = {
    approve: `Approve ${approval.model} for ${who}?`,
    deny: `Deny ${approval.model} to ${who}?`,
    revoke: `Revoke access to ${approval.model} for ${who}?`,
  };
  return (
    <>
      {approval.status === 'pending' ? (
        <>
          <Button kind="primary" icon={Check} onClick={() => setAsking('approve')}>
            Approve…
          </Button>
          <Button kind="danger" icon={Ban} onClick={() => setAsking('deny')}>
            Deny…
          </Button>
        </>
      ) : (
        <Button kind="danger" icon={Ban} onClick={() => setAsking('revoke')}>
          Revoke grant…
        </Button>
      )}
      <Ask
        open={asking !== null}
        onClose={() => setAsking(null)}
        title={titles[asking ?? 'approve']}
        act={{ approve: 'Approve', deny: 'Deny', revoke: 'Revoke' }[asking ?? 'approve']}
        danger={asking !== 'approve'}
        busy={action.isPending}
        error={action.error}
        onAct={act}
      >
        {asking === 'approve' && (
          <DateField
            label="Access ends after"
            optional
            hint={`A date in ${zone}, at most 90 days ahead. Leave empty for the organization's default.`}
            {...register('until')}
          />
        )}
        <TextArea
          label="Reason"
          optional
          hint="Shown to the user and kept in the audit log."
          maxLength={500}
          {...register('reason')}
        />
      </Ask>
    </>
  );
}
