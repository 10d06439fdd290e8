import { Ban, Check } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import type { AnswerOf, Operation } from '../../data/call.ts';
import { addDays, startOfDay } from '../../data/time.ts';
import { useAction } from '../../data/use-api.ts';
import { Ask } from '../../parts/ask.tsx';
import { Button } from '../../parts/button.tsx';
import { TextArea, TextField } from '../../parts/field.tsx';
import { useZone } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';

const TOUCHED: readonly Operation[] = ['getApproval', 'listApprovals'];

/** Approves or denies a request; revokes a grant. */
export function ApprovalActions({ approval }: { approval: AnswerOf<'getApproval'> }) {
  const [asking, setAsking] = useState<'approve' | 'deny' | 'revoke' | null>(null);
  const zone = useZone();
  const { register, getValues } = useForm({ defaultValues: { reason: '', until: '' } });
  const done = (what: string) => (): void => {
    say(what);
    setAsking(null);
  };
  const approve = useAction('approveRequest', TOUCHED, done('The request is granted'));
  const deny = useAction('denyRequest', TOUCHED, done('The request is denied'));
  const revoke = useAction('revokeGrant', TOUCHED, done('The grant is revoked'));
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
    approve: `Let ${who} call ${approval.model}?`,
    deny: `Deny ${who} to call ${approval.model}?`,
    revoke: `Take the grant of ${approval.model} from ${who}?`,
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
          Revoke the grant…
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
          <TextField
            type="date"
            label="Until the end of"
            optional
            hint={`A day in ${zone}, at most 90 days ahead. Empty: as long as the organization's setting says.`}
            {...register('until')}
          />
        )}
        <TextArea
          label="Reason"
          optional
          hint="The person sees it, and the audit log keeps it."
          maxLength={500}
          {...register('reason')}
        />
      </Ask>
    </>
  );
}
