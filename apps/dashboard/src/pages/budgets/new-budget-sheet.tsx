import { BudgetForm } from './budget-form.tsx';

/** A new budget. */
export function NewBudgetSheet() {
  return <BudgetForm />;
}
