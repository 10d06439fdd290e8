export {
  BUDGET_PERIODS,
  budgetWindow,
  windowIn,
  type BudgetPeriod,
  type BudgetWindow,
  type OrgCalendar,
} from './budget-window.js';
export { WindowCalendar } from './window-calendar.js';
