import { BudgetForm } from './budget-form.tsx';

/** Sheet to create a budget. */
export function NewBudgetSheet() {
  return <BudgetForm />;
}
