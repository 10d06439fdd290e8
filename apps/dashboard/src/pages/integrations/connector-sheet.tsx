import { useNavigate, useParams } from '@tanstack/react-router';
import { Pencil, Power, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { API_ROOT } from '../../data/address.ts';
import type { AnswerOf } from '../../data/call.ts';
import { sentence } from '../../data/format.ts';
import { useMay } from '../../data/scopes.ts';
import { useAction, useApi } from '../../data/use-api.ts';
import { Alarm } from '../../parts/alarm.tsx';
import { Ask } from '../../parts/ask.tsx';
import { Button, buttonClass } from '../../parts/button.tsx';
import { CopyText } from '../../parts/copy-text.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Fault } from '../../parts/fault.tsx';
import { Mark } from '../../parts/marks.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';
import { ConnectorTest } from './connector-test.tsx';
import { stateOf, useKindTitle, type Connector } from './connectors.tsx';
import { routingInWords } from './routing-entries.ts';
import { fieldsOf, textOf } from './schema-fields.ts';

type Kind = AnswerOf<'listConnectorKinds'>['items'][number];

/** Sheet of one connector: its health, settings and test. */
export function ConnectorSheet() {
  const { id = '' } = useParams({ strict: false });
  const connector = useApi('getConnector', { id });
  const mayWrite = useMay('itsm:write');
  const title = useKindTitle();
  const { data } = connector;
  return (
    <Sheet
      kind={data ? title(data.kind) : 'Ticket platform'}
      over="/integrations"
      title={<bdi>{data?.name ?? 'Ticket platform'}</bdi>}
      actions={data && mayWrite && <Actions key={data.id} connector={data} />}
    >
      {connector.isPending && <Skeleton lines={5} />}
      {connector.error && <Failure error={connector.error} onRetry={() => void connector.refetch()} />}
      {data && (
        <>
          {data.problem && (
            <Alarm
              title={
                <>
                  Ticket creation stopped <Ago at={data.problem.since} />.
                </>
              }
            >
              <p className="break-words">
                <bdi>{data.problem.message}</bdi>
              </p>
              <p className="text-muted">
                Tickets are queued, and one is retried every five minutes. A change or a successful test resumes
                creation at once.
              </p>
            </Alarm>
          )}
          <About connector={data} />
          {mayWrite && <ConnectorTest key={data.id} id={data.id} />}
        </>
      )}
    </Sheet>
  );
}

function About({ connector }: { connector: Connector }) {
  const { id, org_id, settings, routing, secret_names, created_at, updated_at } = connector;
  const kinds = useApi('listConnectorKinds', {});
  const kind = kinds.data?.items.find(each => each.kind === connector.kind);
  const titles = titlesOf(kind);
  const title = (name: string): string => titles.get(name) ?? sentence(name);
  const [mark, word] = stateOf(connector);
  return (
    <Facts
      facts={[
        ['Status', <Mark key="state" of={mark} word={word} />],
        ...inOrder(settings, [...titles.keys()]).map(
          ([name, value]) => [title(name), <bdi key={name}>{textOf(value)}</bdi>] as const,
        ),
        ['Tickets for', <bdi key="routing">{routingInWords(routing)}</bdi>],
        ['Stored credentials', secret_names.map(title).join(', ') || 'None'],
        [
          'Inbound URL',
          <CopyText
            key="reports"
            text={`${API_ROOT}/integrations/itsm/webhook/${org_id}?connector_id=${id}`}
            what="inbound URL"
            cut
          />,
        ],
        ['Updated', <Ago key="changed" at={updated_at} />],
        ['Created', <Time key="created" at={created_at} />],
        ['ID', <CopyText key="id" text={id} what="connector ID" />],
      ]}
    />
  );
}

/** The settings in the order of the platform's form. */
function inOrder(settings: Connector['settings'], names: readonly string[]): [string, unknown][] {
  const place = (name: string): number => (names.includes(name) ? names.indexOf(name) : names.length);
  return Object.entries(settings).toSorted(([one], [other]) => place(one) - place(other));
}

/** The titles of settings and secrets in the platform's schemas. */
function titlesOf(kind: Kind | undefined): Map<string, string> {
  if (!kind) return new Map();
  const fields = [...fieldsOf(kind.settings_schema), ...fieldsOf(kind.secrets_schema)];
  return new Map(fields.map(({ name, title }) => [name, title]));
}

function Actions({ connector: { id, name, active } }: { connector: Connector }) {
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const change = useAction('updateConnector', ['getConnector', 'listConnectors', 'simulateTicketRoute'], ({ active }) =>
    say(
      active ? 'Connector enabled' : 'Connector disabled',
      active ? undefined : 'Queued tickets wait until you enable it.',
    ),
  );
  const remove = useAction('deleteConnector', ['listConnectors', 'simulateTicketRoute'], () => {
    say(`Connector “${name}” deleted`);
    void navigate({ to: '/integrations', search: (previous: Record<string, string>) => previous });
  });
  return (
    <>
      <PageLink to={`/integrations/${id}/edit`} keep className={buttonClass('primary')}>
        <Pencil size={14} aria-hidden />
        Edit
      </PageLink>
      <Button icon={Power} busy={change.isPending} onClick={() => change.mutate({ id, body: { active: !active } })}>
        {active ? 'Disable' : 'Enable'}
      </Button>
      <Button kind="danger" icon={Trash2} className="ml-auto" onClick={() => setAsking(true)}>
        Delete…
      </Button>
      <Fault error={change.error} />
      {isAsking && (
        <Ask
          open
          onClose={() => setAsking(false)}
          title={`Delete “${name}”?`}
          act="Delete connector"
          danger
          busy={remove.isPending}
          error={remove.error}
          onAct={() => remove.mutate({ id })}
        >
          <p>
            Its credentials are deleted and no more tickets are created. Existing tickets stay on the platform and in
            this list.
          </p>
        </Ask>
      )}
    </>
  );
}
