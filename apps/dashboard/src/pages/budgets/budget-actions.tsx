import { useNavigate } from '@tanstack/react-router';
import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useAction } from '../../data/use-api.ts';
import { Ask } from '../../parts/ask.tsx';
import { Button, buttonClass } from '../../parts/button.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { say } from '../../parts/toasts.tsx';
import type { Budget } from './standing.ts';

/** Actions to edit and delete a budget. */
export function BudgetActions({ budget: { id, name, enforcement } }: { budget: Budget }) {
  const [isAsking, setAsking] = useState(false);
  const navigate = useNavigate();
  const remove = useAction('deleteBudget', ['listBudgets'], () => {
    say(`Budget “${name}” deleted`);
    void navigate({ to: '/budgets', search: (previous: Record<string, string>) => previous });
  });
  return (
    <>
      <PageLink to={`/budgets/${id}/edit`} keep className={buttonClass('primary')}>
        <Pencil size={14} aria-hidden />
        Edit
      </PageLink>
      <Button kind="danger" icon={Trash2} className="ml-auto" onClick={() => setAsking(true)}>
        Delete…
      </Button>
      {isAsking && (
        <Ask
          open
          onClose={() => setAsking(false)}
          title={`Delete “${name}”?`}
          act="Delete budget"
          danger
          busy={remove.isPending}
          error={remove.error}
          onAct={() => remove.mutate({ id })}
        >
          <p>
            {enforcement === 'block'
              ? 'Calls over this budget are allowed from now on, and its alerts stop.'
              : 'Its alerts stop.'}{' '}
            You cannot undo this. Recorded usage is not affected.
          </p>
        </Ask>
      )}
    </>
  );
}
