import type { ErrorComponentProps } from '@tanstack/react-router';
import { ApiError } from '../data/api-error.ts';
import { Button } from '../parts/button.tsx';
import { PageLink } from '../parts/page-link.tsx';
import { Empty, Failure } from '../parts/states.tsx';

/** Error of a page that could not be rendered or loaded. After an update of the server, a reload helps. */
export function PageFault({ error }: ErrorComponentProps) {
  if (error instanceof ApiError) return <Failure error={error} onRetry={() => location.reload()} />;
  return (
    <div className="px-4 pt-5 md:px-8">
      <h1 className="text-title font-semibold">Something went wrong</h1>
      <Empty
        title="This page could not be displayed."
        actions={<Button onClick={() => location.reload()}>Reload</Button>}
      >
        The server may have been updated. {error instanceof Error ? error.message : ''}
      </Empty>
    </div>
  );
}

/** Shown if no page has this address. */
export function NotFound() {
  return (
    <div className="px-4 pt-5 md:px-8">
      <h1 className="text-title font-semibold">Page not found</h1>
      <Empty title="There is no page at this address.">
        <PageLink to="/overview" className="link">
          Go to overview
        </PageLink>
      </Empty>
    </div>
  );
}
