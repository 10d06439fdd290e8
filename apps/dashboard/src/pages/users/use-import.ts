import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ApiError } from '../../data/api-error.ts';
import type { AnswerOf } from '../../data/call.ts';
import { faultOf, postWithProgress, type ProgressLine } from '../../data/progress-lines.ts';

/** Result of an import, or of its check. */
export type ImportReport = AnswerOf<'importUsers'>;

/** The file to import, and the mode of the import. */
export interface WantedImport {
  /** The file is sent unchanged. The API reports errors of its encoding. */
  file: File;
  /** Estimated number of lines in the file. */
  total: number;
  mode: 'create' | 'upsert';
  isTrial: boolean;
}

/** State of an import. */
type Import =
  | { state: 'none' }
  | { state: 'running'; isTrial: boolean; lines: number; total: number }
  | { state: 'done'; report: ImportReport }
  | { state: 'failed'; error: ApiError };

type Line = ProgressLine<{ lines: number }, ImportReport>;

/**
 * Imports people from a file and reports the progress. `reset` stops the import. People who are already imported stay.
 */
export function useImport(): { state: Import; run: (wanted: WantedImport) => void; reset: () => void } {
  const client = useQueryClient();
  const [state, setState] = useState<Import>({ state: 'none' });
  const running = useRef<AbortController>(undefined);
  const reset = useCallback((): void => {
    running.current?.abort();
    setState({ state: 'none' });
  }, []);
  useEffect(() => () => running.current?.abort(), []);
  const run = useCallback(
    ({ file, total, mode, isTrial }: WantedImport): void => {
      running.current?.abort();
      const { signal } = (running.current = new AbortController());
      const set = (next: Import): void => {
        if (!signal.aborted) setState(next);
      };
      set({ state: 'running', isTrial, lines: 0, total });
      const onLine = (line: Line): void => {
        if ('result' in line) set({ state: 'done', report: line.result });
        else set({ state: 'running', isTrial, lines: line.progress.lines, total });
      };
      const route = `users/import?mode=${mode}&dry_run=${isTrial}`;
      postWithProgress({ route, body: file, type: 'text/csv', signal }, onLine)
        .catch((error: unknown) => set({ state: 'failed', error: faultOf(error) }))
        .finally(() => {
          if (!isTrial) void client.invalidateQueries({ queryKey: ['listUsers'] });
        });
    },
    [client],
  );
  return { state, run, reset };
}
