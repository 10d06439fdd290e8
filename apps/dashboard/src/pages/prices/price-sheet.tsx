import { useNavigate, useParams } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '../../data/scopes.ts';
import { useAction } from '../../data/use-api.ts';
import { useWhole } from '../../data/use-whole.ts';
import { Ask } from '../../parts/ask.tsx';
import { Button, buttonClass } from '../../parts/button.tsx';
import { CopyText } from '../../parts/copy-text.tsx';
import { Facts } from '../../parts/facts.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { say } from '../../parts/toasts.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { Empty, Failure, Skeleton } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import type { Price } from './own-prices.tsx';
import { perMillion } from './per-million.ts';

/** Sheet of one own price. The price is searched in the list, because the API has no route for a single price. */
export function PriceSheet() {
  const { id = '' } = useParams({ strict: false });
  const mayWrite = useMay('prices:write');
  const list = useWhole('listPrices', {});
  const price = list.items.find(each => each.id === id);
  return (
    <Sheet
      kind="Custom price"
      over="/prices"
      title={<bdi className="font-mono">{price?.model ?? 'Price'}</bdi>}
      actions={price && mayWrite && <Actions key={id} price={price} />}
    >
      {list.isPending && <Skeleton lines={5} />}
      {list.error && <Failure error={list.error} onRetry={list.retry} />}
      {!list.isPending && !list.error && !price && <Empty title="This price does not exist." />}
      {price && <Details price={price} />}
    </Sheet>
  );
}

function Details({ price }: { price: Price }) {
  const { alias, effective_from } = price;
  const own = (value: number | null, otherwise: string): string => (value === null ? otherwise : perMillion(value));
  return (
    <Facts
      facts={[
        ['Provider', price.provider === null ? 'All' : <bdi key="provider">{price.provider}</bdi>],
        ['Same as', alias ? <bdi key="as">{`${alias.provider} / ${alias.model}`}</bdi> : undefined],
        ...(alias
          ? []
          : ([
              ['Input, per million tokens', perMillion(price.input_per_million_usd)],
              ['Output', perMillion(price.output_per_million_usd)],
              ['Cache read', own(price.cache_read_per_million_usd, 'Same as input')],
              ['Cache write', own(price.cache_write_per_million_usd, 'Same as input')],
              ['Reasoning', own(price.reasoning_per_million_usd, 'Same as output')],
              ['Effective from', effective_from === null ? 'Always' : <Time key="from" at={effective_from} />],
            ] as const)),
        ['Version', price.version],
        ['Updated', <Time key="changed" at={price.updated_at} />],
        ['ID', <CopyText key="id" text={price.id} what="price ID" />],
      ]}
    />
  );
}

function Actions({ price: { id, provider, model } }: { price: Price }) {
  const [isAsking, setAsking] = useState(false);
  const navigate = useNavigate();
  const remove = useAction('deletePrice', ['listPrices', 'listUnpricedModels'], () => {
    say(`Price for ${model} deleted`);
    void navigate({ to: '/prices', search: (previous: Record<string, string>) => previous });
  });
  return (
    <>
      <PageLink
        to="/prices/rerate"
        search={{ model, ...(provider !== null && { provider }) }}
        className={buttonClass('primary')}
      >
        Re-rate usage…
      </PageLink>
      <Button kind="danger" icon={Trash2} className="ml-auto" onClick={() => setAsking(true)}>
        Delete…
      </Button>
      {isAsking && (
        <Ask
          open
          onClose={() => setAsking(false)}
          title={`Delete the price for ${model}?`}
          act="Delete price"
          danger
          busy={remove.isPending}
          error={remove.error}
          onAct={() => remove.mutate({ id })}
        >
          <p>New usage gets the catalog price; if there is none, its cost is unknown. Recorded costs do not change.</p>
        </Ask>
      )}
    </>
  );
}
