import type { ErrorComponentProps } from '@tanstack/react-router';
import { ApiError } from '../data/api-error.ts';
import { Button } from '../parts/button.tsx';
import { PageLink } from '../parts/page-link.tsx';
import { Empty, Failure } from '../parts/states.tsx';

/** A page could not be drawn, or its code could not be loaded: after an update of the server, loading again helps. */
export function PageFault({ error }: ErrorComponentProps) {
  if (error instanceof ApiError) return <Failure error={error} onRetry={() => location.reload()} />;
  return (
    <div className="px-4 pt-5 md:px-8">
      <h1 className="text-title font-semibold">This page failed</h1>
      <Empty
        title="The page could not be shown."
        actions={<Button onClick={() => location.reload()}>Load again</Button>}
      >
        The server may have been updated meanwhile. {error instanceof Error ? error.message : ''}
      </Empty>
    </div>
  );
}

/** No page has this address. */
export function NotFound() {
  return (
    <div className="px-4 pt-5 md:px-8">
      <h1 className="text-title font-semibold">No such page</h1>
      <Empty title="No page has this address.">
        <PageLink to="/overview" className="link">
          Go to the overview
        </PageLink>
      </Empty>
    </div>
  );
}
