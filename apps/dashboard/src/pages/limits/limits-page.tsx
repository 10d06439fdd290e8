import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';

/** How many requests and tokens in a time. */
export function LimitsPage() {
  return (
    <Page title="Limits" lead="How many requests and tokens in a minute, an hour or a day.">
      <Empty title="This installation has no limits to manage here.">
        Spending is limited by budgets, and what may be called at all by policies.
      </Empty>
    </Page>
  );
}
