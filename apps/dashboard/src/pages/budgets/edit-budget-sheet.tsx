import { useParams } from '@tanstack/react-router';
import { useApi } from '../../data/use-api.ts';
import { Sheet } from '../../parts/sheet.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { BudgetForm } from './budget-form.tsx';

/** Sheet to edit a budget. */
export function EditBudgetSheet() {
  const { id = '' } = useParams({ strict: false });
  const { data, error, refetch } = useApi('getBudget', { id });
  if (data) return <BudgetForm key={id} budget={data} />;
  return (
    <Sheet kind="Edit budget" over={`/budgets/${id}`} title="Budget">
      {error ? <Failure error={error} onRetry={() => void refetch()} /> : <Skeleton lines={5} />}
    </Sheet>
  );
}
