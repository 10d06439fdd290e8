import { useState } from 'react';
import { sentence } from '../../data/format.ts';
import { useApi } from '../../data/use-api.ts';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Mark } from '../../parts/marks.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Section } from '../../parts/page.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { usePolicyOptions } from './policy-options.ts';
import { SEVERITIES } from './routing-entries.ts';

/** Shows which connectors would open a ticket for an incident, and why. Sends nothing. */
export function RouteDryRun() {
  const [severity, setSeverity] = useState<string>('high');
  const [policy, setPolicy] = useState('');
  const [department, setDepartment] = useState('');
  const policies = usePolicyOptions();
  const routes = useApi(
    'simulateTicketRoute',
    {
      body: {
        // The value is one of the options.
        severity: severity as (typeof SEVERITIES)[number],
        ...(policy !== '' && { policy_id: policy }),
        ...(department.trim() !== '' && { department: department.trim() }),
      },
    },
    { keep: true },
  );
  if (routes.data?.connectors.length === 0) return null;
  return (
    <Section title="Which connectors would get a ticket" aside="A trial: nothing is sent">
      <div className="grid gap-4 py-3 sm:grid-cols-3">
        <SelectField
          label="Severity"
          value={severity}
          options={SEVERITIES.map(each => [each, sentence(each)] as const)}
          onChange={event => setSeverity(event.target.value)}
        />
        <SelectField
          label="Violated policy"
          value={policy}
          options={[['', 'None, such as an anomaly'], ...policies]}
          onChange={event => setPolicy(event.target.value)}
        />
        <TextField
          label="Department of the person"
          optional
          maxLength={255}
          placeholder="None"
          value={department}
          onChange={event => setDepartment(event.target.value)}
        />
      </div>
      {routes.isPending && <Skeleton lines={2} />}
      {routes.error && <Failure error={routes.error} onRetry={() => void routes.refetch()} />}
      {routes.data && (
        <ul aria-label="Connectors" aria-live="polite" aria-busy={routes.isPlaceholderData}>
          {routes.data.connectors.map(({ connector_id: id, name, opens_ticket, reasons }) => (
            <li
              key={id}
              className="grid min-h-10 items-start gap-x-4 border-t border-line py-2 sm:grid-cols-[8rem_minmax(0,1fr)_minmax(0,2fr)]"
            >
              <Outcome opensTicket={opens_ticket} waits={reasons.some(({ code }) => code === 'paused')} />
              <PageLink to={`/integrations/${id}`} keep className="min-w-0 truncate font-medium">
                <bdi>{name}</bdi>
              </PageLink>
              <span className="min-w-0 break-words text-muted">{reasons.map(({ message }) => message).join(' ')}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** Whether a connector would open a ticket. A connector with a problem would queue it until it works again. */
function Outcome({ opensTicket, waits }: { opensTicket: boolean; waits: boolean }) {
  if (!opensTicket) return <Mark of="inactive" word="No ticket" />;
  return waits ? <Mark of="pending" word="Ticket waits" /> : <Mark of="succeeded" word="Ticket" />;
}
