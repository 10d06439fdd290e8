import { Check, MessageSquarePlus, RotateCcw, UserCheck } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import type { AnswerOf, Operation } from '../../data/call.ts';
import { useAction } from '../../data/use-api.ts';
import { Ask } from '../../parts/ask.tsx';
import { Button } from '../../parts/button.tsx';
import { Fault } from '../../parts/fault.tsx';
import { TextArea } from '../../parts/field.tsx';
import { say } from '../../parts/toasts.tsx';

type Incident = AnswerOf<'getIncident'>;

const TOUCHED: readonly Operation[] = ['getIncident', 'listIncidents', 'listIncidentTimeline'];
const SAID = { open: 'Reopened', acknowledged: 'Acknowledged', resolved: 'Resolved' };

/** The actions that an incident allows in its status. */
export function IncidentActions({ incident: { id, status } }: { incident: Incident }) {
  const [asking, setAsking] = useState<'resolve' | 'note' | null>(null);
  const { register, getValues, reset } = useForm({ defaultValues: { text: '' } });
  const change = useAction('updateIncident', TOUCHED, (_, { body }) => {
    say(body.status === undefined ? 'Note added' : SAID[body.status]);
    setAsking(null);
    reset();
  });
  const setStatus = (status: Incident['status']): void => change.mutate({ id, body: { status } });
  const act = (): void => {
    const text = getValues('text').trim();
    const body =
      asking === 'resolve' ? { status: 'resolved' as const, ...(text !== '' && { resolution: text }) } : { note: text };
    change.mutate({ id, body });
  };
  return (
    <>
      {status === 'open' && (
        <Button
          kind="primary"
          icon={UserCheck}
          busy={change.isPending && asking === null}
          onClick={() => setStatus('acknowledged')}
        >
          Acknowledge
        </Button>
      )}
      {status !== 'resolved' && (
        <Button kind={status === 'open' ? 'plain' : 'primary'} icon={Check} onClick={() => setAsking('resolve')}>
          Resolve…
        </Button>
      )}
      {status !== 'open' && (
        <Button icon={RotateCcw} busy={change.isPending && asking === null} onClick={() => setStatus('open')}>
          Reopen
        </Button>
      )}
      <Button icon={MessageSquarePlus} onClick={() => setAsking('note')}>
        Note…
      </Button>
      {asking === null && <Fault error={change.error} />}
      <Ask
        open={asking !== null}
        onClose={() => setAsking(null)}
        title={asking === 'note' ? 'Add note' : 'Resolve this incident?'}
        act={asking === 'note' ? 'Add note' : 'Resolve'}
        busy={change.isPending}
        error={change.error}
        onAct={act}
      >
        <TextArea
          label={asking === 'note' ? 'Note' : 'Resolution'}
          optional={asking !== 'note'}
          required={asking === 'note'}
          maxLength={2000}
          hint={asking === 'note' ? 'Shown in the timeline.' : 'Shown in the timeline and on the incident.'}
          {...register('text')}
        />
      </Ask>
    </>
  );
}
