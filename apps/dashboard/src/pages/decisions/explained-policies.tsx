import { Check, X } from 'lucide-react';
import type { AnswerOf } from '../../data/call.ts';
import { plural } from '../../data/format.ts';
import { cx } from '../../parts/cx.ts';
import { Condition, shown } from '../../parts/in-words.tsx';
import { Mark } from '../../parts/marks.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Section } from '../../parts/page.tsx';

type Decision = AnswerOf<'getDecisionExplanation'>['as_it_was'];
type Policy = Decision['policies'][number];

/** The policies that matched, with each condition and the value that was compared. */
export function ExplainedPolicies({ decision: { policies, winner, not_matched } }: { decision: Decision }) {
  return (
    <Section title="Matched policies" aside={not_matched && `${plural(not_matched.total, 'other')} did not match`}>
      {policies.length === 0 && <p className="py-2 text-muted">No policy matched.</p>}
      <ul>
        {policies.map(policy => (
          <li key={policy.id} className="flex flex-col gap-1 border-b border-line py-2">
            <div className="flex flex-wrap items-center gap-x-3">
              <PageLink
                to={`/policies/${policy.id}`}
                className="link min-w-0 font-medium wrap-anywhere max-sm:basis-full"
              >
                <bdi>{policy.name}</bdi>
              </PageLink>
              <span className="text-muted">Version {policy.version}</span>
              {winner?.id === policy.id && (
                <span className="rounded-sm bg-wash px-1.5 text-small font-medium text-accent">Decided</span>
              )}
              <span className="ml-auto">
                <Mark of={policy.action} />
              </span>
            </div>
            <Conditions policy={policy} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Conditions({ policy: { conditions } }: { policy: Policy }) {
  if (conditions.length === 0) return <p className="text-small text-muted">No conditions: matches every user.</p>;
  return (
    <ul className="flex flex-col gap-0.5 text-small">
      {conditions.map(({ attribute, operator, operand, value, held }) => {
        const Icon = held ? Check : X;
        return (
          <li key={`${attribute} ${operator}`} className="flex items-baseline gap-2">
            <Icon
              size={12}
              aria-label={held ? 'Met' : 'Not met'}
              className={cx('shrink-0 self-center', held ? 'text-ok' : 'text-critical')}
            />
            <span className="min-w-0 wrap-anywhere">
              <Condition attribute={attribute} operator={operator} operand={operand} />
              <span className="text-muted">; it was </span>
              <bdi>{value === undefined || value === null ? 'not set' : shown(value)}</bdi>
            </span>
          </li>
        );
      })}
    </ul>
  );
}
