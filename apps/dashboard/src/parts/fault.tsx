import type { ApiError } from '../data/api-error.ts';
import { CopyText } from './copy-text.tsx';

/** The error of an action, shown beside its button: the server's message, the invalid fields and the request id. */
export function Fault({ error }: { error: ApiError | null | undefined }) {
  if (!error) return null;
  return (
    <div role="alert" className="flex flex-col gap-1 border-l-2 border-critical bg-critical-wash px-3 py-2">
      <p className="font-medium text-critical">{error.message}</p>
      {error.faults.length > 0 && (
        <ul className="list-disc pl-4">
          {error.faults.map(({ field, message }) => (
            <li key={`${field} ${message}`}>
              <span className="font-mono text-small">{field}</span>: {message}
            </li>
          ))}
        </ul>
      )}
      {error.requestId !== undefined && (
        <p className="text-small text-muted">
          Request <CopyText text={error.requestId} what="request ID" />
        </p>
      )}
    </div>
  );
}
