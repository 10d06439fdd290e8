import { useNavigate } from '@tanstack/react-router';
import { Pencil, Power, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { AnswerOf, Operation } from '../../data/call.ts';
import { useAction } from '../../data/use-api.ts';
import { Ask } from '../../parts/ask.tsx';
import { Button, buttonClass } from '../../parts/button.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { say } from '../../parts/toasts.tsx';
import { TrySimulation } from './simulation.tsx';

type Policy = AnswerOf<'getPolicy'>;

/** The operations to refetch after an action on a policy. */
export const TOUCHED: readonly Operation[] = ['getPolicy', 'listPolicies', 'listPolicyVersions', 'getPolicyVersion'];

/** Actions to edit, enable, disable and delete a policy. */
export function PolicyActions({ policy }: { policy: Policy }) {
  const [asking, setAsking] = useState<'switch' | 'delete'>();
  const close = (): void => setAsking(undefined);
  return (
    <>
      <PageLink to={`/policies/${policy.id}/edit`} keep className={buttonClass('primary')}>
        <Pencil size={14} aria-hidden />
        Edit
      </PageLink>
      <Button icon={Power} onClick={() => setAsking('switch')}>
        {policy.enabled ? 'Disable…' : 'Enable…'}
      </Button>
      <Button kind="danger" icon={Trash2} className="ml-auto" onClick={() => setAsking('delete')}>
        Delete…
      </Button>
      {asking === 'switch' && <Switch policy={policy} onClose={close} />}
      {asking === 'delete' && <Delete policy={policy} onClose={close} />}
    </>
  );
}

interface AskingProps {
  policy: Policy;
  onClose: () => void;
}

function Switch({ policy: { id, name, enabled }, onClose }: AskingProps) {
  const change = useAction('updatePolicy', TOUCHED, ({ name, enabled }) => {
    say(`Policy “${name}” ${enabled ? 'enabled' : 'disabled'}`);
    onClose();
  });
  return (
    <Ask
      open
      onClose={onClose}
      title={`${enabled ? 'Disable' : 'Enable'} “${name}”?`}
      wide
      act={enabled ? 'Disable' : 'Enable'}
      busy={change.isPending}
      error={change.error}
      onAct={() => change.mutate({ id, body: { enabled: !enabled } })}
    >
      <p>
        {enabled ? 'It no longer applies to calls. You can enable it again.' : 'It applies to every call from now on.'}
      </p>
      <TrySimulation
        title={`Simulation: ${enabled ? 'disabled' : 'enabled'}`}
        draft={() => ({ policy: { enabled: !enabled }, policy_id: id })}
        stands={String(enabled)}
      />
    </Ask>
  );
}

function Delete({ policy: { id, name }, onClose }: AskingProps) {
  const navigate = useNavigate();
  const remove = useAction('deletePolicy', ['listPolicies'], () => {
    say(`Policy “${name}” deleted`);
    void navigate({ to: '/policies', search: (previous: Record<string, string>) => previous });
  });
  return (
    <Ask
      open
      onClose={onClose}
      title={`Delete “${name}”?`}
      act="Delete policy"
      danger
      busy={remove.isPending}
      error={remove.error}
      onAct={() => remove.mutate({ id })}
    >
      <p>You cannot undo this. Its decisions and incidents are kept. To pause it, disable it instead.</p>
    </Ask>
  );
}
