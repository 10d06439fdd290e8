import { API_ROOT } from './address.ts';
import { ApiError } from './api-error.ts';
import { pageFetch } from './call.ts';

/** One line of a streamed answer. The last line contains the result, every other line the progress. */
export type ProgressLine<Progress, Result> = { progress: Progress } | { result: Result };

interface Work {
  /** The route with its query, such as `policies/simulate`. */
  route: string;
  body: string | Blob;
  /** Content type of the body. */
  type: string;
  signal: AbortSignal;
}

/**
 * Posts a request to the API, and reads the progress lines of the answer. If the stream ends without a result, the
 * request has failed.
 */
export async function postWithProgress<Progress, Result>(
  { route, body, type, signal }: Work,
  onLine: (line: ProgressLine<Progress, Result>) => void,
): Promise<void> {
  const response = await pageFetch(`${API_ROOT}/${route}`, {
    method: 'POST',
    headers: { accept: 'application/x-ndjson', 'content-type': type },
    body,
    signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  let isDone = false;
  for (;;) {
    const part = await reader?.read();
    if (part === undefined || part.done) break;
    const lines = (rest + part.value).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines.filter(line => line !== '')) {
      // The tests of the server compare these lines with the OpenAPI document.
      const line = JSON.parse(text) as ProgressLine<Progress, Result>;
      isDone ||= 'result' in line;
      onLine(line);
    }
  }
  if (!isDone) throw new ApiError(0, 'The work stopped before its result. Run it again.');
}

/** The error to show for a failed request. */
export function faultOf(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError(0, 'The connection was lost. Run it again.');
}
