import { forecast } from '../../data/forecast.ts';
import { sentence } from '../../data/format.ts';
import { Meter } from '../../charts/meter.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Section } from '../../parts/page.tsx';
import { SpentOf } from '../../parts/spent-of.tsx';
import { Ago, useNow } from '../../parts/time.tsx';
import type { Overview, OverviewBudget } from './overview-data.ts';

/** Shows the budget of the whole organization, and the budgets that are nearly spent. */
export function Budgets({ budgets }: { budgets: NonNullable<Overview['budgets']> }) {
  const all = [
    ...budgets.organization,
    ...budgets.highest.filter(({ id }) => !budgets.organization.some(each => each.id === id)),
  ];
  if (all.length === 0) return null;
  return (
    <Section
      title="Budgets"
      aside={
        <PageLink to="/budgets" className="link">
          All budgets
        </PageLink>
      }
    >
      <ul>
        {all.map(budget => (
          <BudgetRow key={budget.id} budget={budget} />
        ))}
      </ul>
    </Section>
  );
}

function BudgetRow({ budget }: { budget: OverviewBudget }) {
  const { id, name, period, amount_usd, spent_usd, window_end } = budget;
  const [text, isOver] = forecast(budget, useNow());
  return (
    <li className="relative flex flex-col gap-1 border-b border-line py-2 row-hover">
      <div className="flex items-baseline gap-3">
        <PageLink to={`/budgets/${id}`} className="min-w-0 flex-1 truncate font-medium after:absolute after:inset-0">
          <bdi>{name}</bdi>
        </PageLink>
        <SpentOf spent={spent_usd} amount={amount_usd} />
      </div>
      <Meter spent={spent_usd} amount={amount_usd} label={name} />
      <p className="flex flex-wrap justify-between gap-x-3 text-small text-muted">
        <span>
          {sentence(period)}, ends <Ago at={window_end} />
        </span>
        <span className={isOver ? 'text-high tabular-nums' : 'tabular-nums'}>{text}</span>
      </p>
    </li>
  );
}
