import { Copy } from 'lucide-react';
import { useApi, type ItemOf } from '../../data/use-api.ts';
import { Button } from '../../parts/button.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { say } from '../../parts/toasts.tsx';
import { asCurl } from './curl.ts';

interface ExchangeProps {
  delivery: ItemOf<'listDeliveries'>;
  /** The current address of the webhook. */
  url: string;
}

/** Shows the request that the app sent, and the headers of each attempt. */
export function Exchange({ delivery, url }: ExchangeProps) {
  const { data, error, refetch } = useApi('getDeliveryExchange', { id: delivery.id }, { keep: true });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={3} label="Loading request" />;
  const { request_body, attempts } = data;
  const last = attempts.findLast(({ request_headers }) => request_headers !== null)?.request_headers ?? null;
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(asCurl(url, last ?? {}, request_body ?? ''));
    say('Copied as curl');
  };
  return (
    <div className="flex flex-col gap-2">
      <p className="flex flex-wrap items-center gap-3 font-medium">
        Request
        {request_body !== null && last !== null && (
          <Button small icon={Copy} onClick={() => void copy()}>
            Copy as curl
          </Button>
        )}
      </p>
      {request_body === null ? (
        <p className="text-muted">The body is no longer stored: the retention of the event has ended.</p>
      ) : (
        <Text label="Request body" text={indented(request_body)} />
      )}
      {attempts.map(({ number, started_at, request_headers, response_headers }) => (
        <details key={`${number} ${started_at}`}>
          <summary className="min-h-6 cursor-pointer text-muted">Headers of attempt {number}</summary>
          <div className="flex flex-col gap-2 pt-1">
            {request_headers !== null && (
              <Text label={`Request headers of attempt ${number}`} text={lines(request_headers)} />
            )}
            {response_headers === null ? (
              <p className="text-small text-muted">No response headers are stored.</p>
            ) : (
              <Text label={`Response headers of attempt ${number}`} text={lines(response_headers)} />
            )}
          </div>
        </details>
      ))}
    </div>
  );
}

/** The JSON body, indented for reading. "Copy as curl" copies the body exactly as it was sent. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function lines(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

function Text({ label, text }: { label: string; text: string }) {
  return (
    <pre
      // A scrollable box must be reachable by keyboard.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      aria-label={label}
      className="max-h-48 overflow-auto rounded border border-line bg-sunken p-2 font-mono text-small break-all whitespace-pre-wrap"
    >
      {text}
    </pre>
  );
}
