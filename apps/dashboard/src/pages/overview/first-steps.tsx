import { Circle, CircleCheck } from 'lucide-react';
import { PageLink } from '../../parts/page-link.tsx';
import { Section } from '../../parts/page.tsx';
import type { Overview } from './overview-data.ts';

const STEPS = {
  user: ['Add your users', 'With SCIM, from a file, or one at a time.', '/users'],
  policy: ['Create your first policy', 'Simulate it on past calls before you enable it.', '/policies'],
  event: ['See your first call', 'Request a decision, report usage, or send a call through the gateway.', '/usage'],
  webhook: ['Register a webhook', 'Receive violations in your systems within a second.', '/webhooks'],
  connector: [
    'Connect your ticket platform',
    'Open a ticket in Jira or ServiceNow for each incident.',
    '/integrations',
  ],
} as const;

/**
 * Setup steps that lead to the first event. A step is marked as done when the stored data shows it. When all steps are
 * done, the list disappears.
 */
export function FirstSteps({ steps }: { steps: Overview['first_steps'] }) {
  const left = steps.filter(({ done }) => !done).length;
  if (left === 0) return null;
  return (
    <Section title="Getting started" aside={`${steps.length - left} of ${steps.length} done`}>
      <ol>
        {steps.map(({ name, done }) => {
          const [title, how, to] = STEPS[name];
          const Icon = done ? CircleCheck : Circle;
          return (
            <li
              key={name}
              className="relative grid min-h-9 grid-cols-[auto_1fr] items-center gap-x-3 border-b border-line py-1 row-hover sm:grid-cols-[auto_14rem_1fr]"
            >
              <Icon size={15} aria-label={done ? 'Done' : 'To do'} className={done ? 'text-ok' : 'text-control'} />
              <PageLink
                to={to}
                className={
                  done ? 'text-muted after:absolute after:inset-0' : 'font-medium after:absolute after:inset-0'
                }
              >
                {title}
              </PageLink>
              {!done && <span className="text-muted max-sm:col-start-2">{how}</span>}
            </li>
          );
        })}
      </ol>
    </Section>
  );
}
