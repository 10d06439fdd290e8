export { BUDGET_PERIODS, budgetWindow, type BudgetPeriod, type BudgetWindow } from './budget-window.js';
export { WindowCalendar } from './window-calendar.js';
