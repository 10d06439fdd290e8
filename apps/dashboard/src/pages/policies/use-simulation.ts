import { useCallback, useEffect, useRef, useState } from 'react';
import type { ApiError } from '../../data/api-error.ts';
import type { AnswerOf, InputOf } from '../../data/call.ts';
import { faultOf, postWithProgress, type ProgressLine } from '../../data/progress-lines.ts';

/** Result of a simulation. */
export type Simulated = AnswerOf<'simulatePolicy'>;

/** Input of a simulation. */
export type Trial = InputOf<'simulatePolicy'>['body'];

/** State of a simulation. */
type Simulation =
  | { state: 'none' }
  | { state: 'running'; trial: Trial; evaluated: number; total: number }
  | { state: 'done'; trial: Trial; result: Simulated }
  | { state: 'failed'; error: ApiError };

type Line = ProgressLine<{ evaluated: number; total_estimate: number }, Simulated>;

/**
 * Simulates a policy and reports the progress. If the person leaves the page, or `stop` is called, the server cancels
 * the work.
 */
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
    const work = { route: 'policies/simulate', body: JSON.stringify(trial), type: 'application/json', signal };
    postWithProgress(work, onLine).catch((error: unknown) => set({ state: 'failed', error: faultOf(error) }));
  }, []);
  return { simulation, run, stop };
}
