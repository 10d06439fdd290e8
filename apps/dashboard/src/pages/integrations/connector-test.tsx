import { FlaskConical } from 'lucide-react';
import type { ReactNode } from 'react';
import { sentence } from '../../data/format.ts';
import { useAction } from '../../data/use-api.ts';
import { Button } from '../../parts/button.tsx';
import { Fault } from '../../parts/fault.tsx';
import { Mark } from '../../parts/marks.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Section } from '../../parts/page.tsx';

const MARKS = { passed: ['succeeded', 'Passed'], warning: ['alert', 'Warning'], failed: ['failed', 'Failed'] } as const;

/** Tests step by step whether tickets can be opened. The last step opens a test ticket. */
export function ConnectorTest({ id }: { id: string }) {
  const test = useAction('testConnector', ['getConnector', 'listConnectors', 'listTickets', 'simulateTicketRoute']);
  const { data } = test;
  return (
    <Section title="Test">
      <div className="flex flex-col items-start gap-3 pt-3">
        <p className="text-muted">
          Checks the address, the credentials and the settings, then opens one low-severity ticket that you can close.
        </p>
        <Button icon={FlaskConical} busy={test.isPending} onClick={() => test.mutate({ id })}>
          {data ? 'Test again' : 'Run test'}
        </Button>
        <Fault error={test.error} />
        {data && !test.isPending && (
          <ol aria-label="Checks" aria-live="polite" className="w-full">
            {data.checks.map(({ name, status, message }) => {
              const [mark, word] = MARKS[status];
              return <Line key={name} mark={mark} word={word} name={sentence(name)} text={message} />;
            })}
            {data.ticket?.sync_state === 'created' ? (
              <Line mark="created" word="Done" name="Test ticket" text={undefined}>
                <span className="flex flex-wrap items-center gap-x-3">
                  <bdi className="font-mono font-medium">{data.external_ticket_id ?? 'created'}</bdi>
                  {data.ticket && (
                    <PageLink to={`/incidents/tickets/${data.ticket.id}`} className="link">
                      View ticket
                    </PageLink>
                  )}
                </span>
              </Line>
            ) : (
              <Line mark="cancelled" word="Skipped" name="Test ticket" text="No ticket was created." />
            )}
          </ol>
        )}
      </div>
    </Section>
  );
}

interface LineProps {
  mark: string;
  word: string;
  name: string;
  text: string | undefined;
  children?: ReactNode;
}

function Line({ mark, word, name, text, children }: LineProps) {
  return (
    <li className="grid min-h-9 grid-cols-[6.5rem_1fr] gap-x-3 border-b border-line py-2">
      <span>
        <Mark of={mark} word={word} />
      </span>
      <div className="min-w-0">
        <p className="font-medium">{name}</p>
        {text !== undefined && (
          <p className="break-words text-muted">
            <bdi>{text}</bdi>
          </p>
        )}
        {children}
      </div>
    </li>
  );
}
