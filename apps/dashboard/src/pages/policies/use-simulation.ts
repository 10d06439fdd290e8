import { useCallback, useEffect, useRef, useState } from 'react';
import { API_ROOT } from '../../data/address.ts';
import { ApiError } from '../../data/api-error.ts';
import { pageFetch, type AnswerOf, type InputOf } from '../../data/call.ts';

/** What a policy would have done. */
export type Simulated = AnswerOf<'simulatePolicy'>;

/** What is tried. */
export type Trial = InputOf<'simulatePolicy'>['body'];

/** How far a simulation is. */
type Simulation =
  | { state: 'none' }
  | { state: 'running'; trial: Trial; evaluated: number; total: number }
  | { state: 'done'; trial: Trial; result: Simulated }
  | { state: 'failed'; error: ApiError };

type Line = { progress: { evaluated: number; total_estimate: number } } | { result: Simulated };

/** Tries a policy on what was recorded, with its progress. Leaving the page or `stop` ends the work on the server. */
export function useSimulation(): { simulation: Simulation; run: (trial: Trial) => void; stop: () => void } {
  const [simulation, setSimulation] = useState<Simulation>({ state: 'none' });
  const running = useRef<AbortController>(undefined);
  const stop = useCallback((): void => {
    running.current?.abort();
    setSimulation({ state: 'none' });
  }, []);
  useEffect(() => () => running.current?.abort(), []);
  const run = useCallback((trial: Trial): void => {
    running.current?.abort();
    const { signal } = (running.current = new AbortController());
    const set = (next: Simulation): void => {
      if (!signal.aborted) setSimulation(next);
    };
    set({ state: 'running', trial, evaluated: 0, total: 0 });
    const onLine = (line: Line): void => {
      if ('result' in line) set({ state: 'done', trial, result: line.result });
      else set({ state: 'running', trial, evaluated: line.progress.evaluated, total: line.progress.total_estimate });
    };
    readLines(trial, signal, onLine).catch((error: unknown) => {
      set({
        state: 'failed',
        error: error instanceof ApiError ? error : new ApiError(0, 'The connection was lost. Run it again.'),
      });
    });
  }, []);
  return { simulation, run, stop };
}

/** A stream that ends without its result has failed. */
async function readLines(trial: Trial, signal: AbortSignal, onLine: (line: Line) => void): Promise<void> {
  const response = await pageFetch(`${API_ROOT}/policies/simulate`, {
    method: 'POST',
    headers: { accept: 'application/x-ndjson', 'content-type': 'application/json' },
    body: JSON.stringify(trial),
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
      // The server's contract: its own tests hold the lines against the OpenAPI document.
      const line = JSON.parse(text) as Line;
      isDone ||= 'result' in line;
      onLine(line);
    }
  }
  if (!isDone) throw new ApiError(0, 'The simulation stopped before its result. Run it again.');
}
