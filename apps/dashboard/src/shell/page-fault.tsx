import type { ErrorComponentProps } from '@tanstack/react-router';
import { ApiError } from '../data/api-error.ts';
import { Button } from '../parts/button.tsx';
import { PageLink } from '../parts/page-link.tsx';
import { Empty, Failure } from '../parts/states.tsx';

/**
 * Error messages of browsers for a missing file of the page: of Chrome, Firefox and Safari, and of the build tool for
 * styles.
 */
const MISSING_FILE =
  /^(?:Failed to fetch dynamically imported module|error loading dynamically imported module|Importing a module script failed|Unable to preload CSS)/;

/**
 * Error of a page that could not be rendered or loaded. After an update of the server, the files of a page that is
 * still open are missing. The router reloads the page once for each missing file. If that does not help, it shows this
 * error.
 */
export function PageFault({ error }: ErrorComponentProps) {
  if (error instanceof ApiError) return <Failure error={error} onRetry={() => location.reload()} />;
  if (error instanceof Error && MISSING_FILE.test(error.message))
    return (
      <div className="px-4 pt-5 md:px-8">
        <h1 className="text-title font-semibold">Reload the dashboard</h1>
        <Empty
          title="A file of this page could not be loaded"
          actions={<Button onClick={() => location.reload()}>Reload</Button>}
        >
          The server was updated while this tab was open, or it cannot be reached.
        </Empty>
      </div>
    );
  return (
    <div className="px-4 pt-5 md:px-8">
      <h1 className="text-title font-semibold">Something went wrong</h1>
      <Empty
        title="This page could not be displayed"
        actions={<Button onClick={() => location.reload()}>Reload</Button>}
      >
        {error instanceof Error ? error.message : 'The cause is unknown.'}
      </Empty>
    </div>
  );
}

/** Error that is shown if no page has the address. */
export function NotFound() {
  return (
    <div className="px-4 pt-5 md:px-8">
      <h1 className="text-title font-semibold">Page not found</h1>
      <Empty title="There is no page at this address">
        <PageLink to="/overview" className="link">
          Go to overview
        </PageLink>
      </Empty>
    </div>
  );
}
