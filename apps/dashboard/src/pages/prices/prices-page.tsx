import { useParams } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useMay } from '../../data/scopes.ts';
import { buttonClass } from '../../parts/button.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Page } from '../../parts/page.tsx';
import { OwnPrices } from './own-prices.tsx';
import { Reratings } from './reratings.tsx';
import { UnpricedModels } from './unpriced-models.tsx';

/** Page of unpriced models, own prices and re-ratings. */
export function PricesPage() {
  const { id } = useParams({ strict: false });
  const mayWrite = useMay('prices:write');
  return (
    <Page
      title="Prices"
      lead="Models use catalog prices. Set custom prices for other models and for your contract terms."
      actions={
        mayWrite && (
          <>
            <PageLink to="/prices/rerate" keep className={buttonClass()}>
              Re-rate usage…
            </PageLink>
            <PageLink to="/prices/new" keep className={buttonClass('primary')}>
              <Plus size={14} aria-hidden />
              New price
            </PageLink>
          </>
        )
      }
    >
      <UnpricedModels />
      <OwnPrices opened={id} />
      <Reratings />
    </Page>
  );
}
