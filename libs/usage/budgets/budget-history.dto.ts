import { ApiSchema } from '@nestjs/swagger';
import { dtoOf, f, presenterOf } from '#access';
import { BUDGET_TEXT_MAX } from './budget-rules.js';
import type { PastWindow, SentBudgetAlert } from './budget-history.service.js';

const DOLLARS = { type: Number, minimum: 0 } as const;

/** An alert of a window. */
@ApiSchema({ name: 'GovernanceBudgetAlertDto' })
class BudgetAlertDto extends dtoOf({
  type: f.choice<SentBudgetAlert['type']>(
    ['budget_warning', 'budget_exceeded'],
    'budget_warning',
    'Type of the event.',
  ),
  threshold: f.decimal(0.8, 'Share of the amount that was reached.'),
  amount_usd: f.of<number>({ ...DOLLARS, description: 'Amount when it was sent.', example: 500 }),
  spent_usd: f.of<number>({ ...DOLLARS, description: 'Spending when it was sent.', example: 402.5 }),
  event_id: f.text(
    'evt_0199c2a8b2047d9a8f61e7035a4c2b98',
    'Id of the event. `GET /v1/deliveries?event_id=` lists who got it.',
  ),
  sent_at: f.instant('2026-11-21T15:04:05.000Z'),
}) {}

/** One window of a budget. */
@ApiSchema({ name: 'GovernanceBudgetWindowDto' })
export class BudgetWindowDto extends dtoOf({
  budget_id: f.uuid('0199c2a8-8a10-7e55-b6f7-3d20c94e7a18'),
  part: f
    .of<string>({
      type: String,
      maxLength: BUDGET_TEXT_MAX,
      description: 'Part of a split budget; empty for requests without a value. Null if the budget is not split.',
      example: null,
    })
    .nullable(),
  window_start: f.instant('2026-10-31T23:00:00.000Z'),
  window_end: f.instant('2026-11-30T23:00:00.000Z', 'Exclusive.'),
  amount_usd: f.of<number>({
    ...DOLLARS,
    description: 'Amount at the end of the window; for the current window, the amount now.',
    example: 500,
  }),
  spent_usd: f.of<number>({ ...DOLLARS, example: 410.25 }),
  reserved_usd: f.of<number>({
    ...DOLLARS,
    description: 'Reserved for allowed requests whose usage is not reported yet.',
    example: 0,
  }),
  alerts: f.listOf(BudgetAlertDto, 'Alerts that the window sent, the oldest first.'),
}) {}

const presentAlert = presenterOf(BudgetAlertDto);

/** A window as the API shows it. */
export const presentWindow = presenterOf(BudgetWindowDto, ({ alerts }: PastWindow) => ({
  alerts: alerts.map(alert => presentAlert(alert)),
}));
