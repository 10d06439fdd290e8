import { useNavigate, useParams } from '@tanstack/react-router';
import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { count } from '../../data/format.ts';
import { useMay } from '../../data/scopes.ts';
import { useAction, useApi, type ItemOf } from '../../data/use-api.ts';
import { Ask } from '../../parts/ask.tsx';
import { Button, buttonClass } from '../../parts/button.tsx';
import { CopyText } from '../../parts/copy-text.tsx';
import { Facts } from '../../parts/facts.tsx';
import { OfWhom } from '../../parts/of-whom.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';

type Limit = ItemOf<'listLimits'>;

/** Sheet of one limit. */
export function LimitSheet() {
  const { id = '' } = useParams({ strict: false });
  const { data, error, isPending, refetch } = useApi('getLimit', { id });
  const mayWrite = useMay('budgets:write');
  return (
    <Sheet
      kind="Limit"
      over="/limits"
      title={<bdi>{data?.name ?? 'Limit'}</bdi>}
      actions={data && mayWrite && <Actions key={id} limit={data} />}
    >
      {isPending && <Skeleton lines={5} />}
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data && (
        <Facts
          facts={[
            ['Scope', <Target key="for" limit={data} />],
            ['Requests per minute', figure(data.requests_per_minute)],
            ['Tokens per minute', figure(data.tokens_per_minute)],
            ['Concurrent requests', figure(data.concurrent_requests)],
            ['Created', <Time key="created" at={data.created_at} />],
            ['Updated', <Time key="changed" at={data.updated_at} />],
            ['ID', <CopyText key="id" text={data.id} what="limit ID" />],
          ]}
        />
      )}
    </Sheet>
  );
}

function Target({ limit }: { limit: Limit }) {
  const id = limit.user_id ?? '';
  const mayRead = useMay('users:read');
  const { data } = useApi('getUser', { id }, { enabled: mayRead && id !== '' });
  if (id === '') return <OfWhom of={limit} />;
  return (
    <PageLink to={`/users/${id}`} className="link">
      <bdi>{data?.name ?? id}</bdi>
    </PageLink>
  );
}

function Actions({ limit: { id, name } }: { limit: Limit }) {
  const [isAsking, setAsking] = useState(false);
  const navigate = useNavigate();
  const remove = useAction('deleteLimit', ['listLimits'], () => {
    say(`Limit “${name}” deleted`);
    void navigate({ to: '/limits', search: (previous: Record<string, string>) => previous });
  });
  return (
    <>
      <PageLink to={`/limits/${id}/edit`} keep className={buttonClass('primary')}>
        <Pencil size={14} aria-hidden />
        Edit
      </PageLink>
      <Button kind="danger" icon={Trash2} className="ml-auto" onClick={() => setAsking(true)}>
        Delete…
      </Button>
      {isAsking && (
        <Ask
          open
          onClose={() => setAsking(false)}
          title={`Delete “${name}”?`}
          act="Delete limit"
          danger
          busy={remove.isPending}
          error={remove.error}
          onAct={() => remove.mutate({ id })}
        >
          <p>Calls over this limit are allowed from now on. You cannot undo this.</p>
        </Ask>
      )}
    </>
  );
}

function figure(value: number | null): string {
  return value === null ? 'No limit' : count(value);
}
