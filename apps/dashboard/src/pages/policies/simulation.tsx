import { FlaskConical } from 'lucide-react';
import { useState } from 'react';
import { count } from '../../data/format.ts';
import { useMay } from '../../data/scopes.ts';
import { Button } from '../../parts/button.tsx';
import { Fault } from '../../parts/fault.tsx';
import { Section } from '../../parts/page.tsx';
import { Segments } from '../../parts/segments.tsx';
import { SimulationResult } from './simulation-result.tsx';
import { useSimulation, type Trial } from './use-simulation.ts';

const DAYS = [
  ['1', '1 day'],
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
] as const;

interface SimulationProps {
  /** The policy to simulate; undefined if the form is invalid. */
  draft: () => Trial | undefined;
  /** The form's content as text. A result for another content is shown as out of date. */
  stands: string;
  /** Words for the change that is simulated: `this policy`, `switching it off`. */
  title?: string;
}

/** Simulates a policy that is not saved yet on the requests of the last days. */
export function TrySimulation({ draft, stands, title = 'Simulation' }: SimulationProps) {
  const [days, setDays] = useState('7');
  const [of, setOf] = useState('');
  const { simulation, run, stop } = useSimulation();
  const mayTry = [useMay('policies:read'), useMay('decisions:read'), useMay('usage:read')].every(Boolean);
  if (!mayTry) return null;
  const now = `${days} ${stands}`;
  const begin = (): void => {
    const trial = draft();
    if (trial === undefined) return;
    setOf(now);
    run({ ...trial, days: Number(days) });
  };
  const isRunning = simulation.state === 'running';
  return (
    <Section title={title}>
      <div className="flex flex-wrap items-center gap-3 pt-3">
        <span className="text-muted">Decisions of the last</span>
        <Segments label="Simulation period" value={days} options={DAYS} onChange={setDays} />
        {isRunning ? (
          <Button onClick={stop}>Stop</Button>
        ) : (
          <Button icon={FlaskConical} onClick={begin}>
            {simulation.state === 'done' ? 'Run again' : 'Run simulation'}
          </Button>
        )}
      </div>
      {simulation.state === 'none' && (
        <p className="pt-2 text-small text-muted">
          Re-evaluates recorded decisions with and without this policy. Nothing changes and no events are sent.
        </p>
      )}
      {isRunning && <Progress evaluated={simulation.evaluated} total={simulation.total} />}
      {simulation.state === 'failed' && (
        <div className="pt-3">
          <Fault error={simulation.error} />
        </div>
      )}
      {simulation.state === 'done' && (
        <>
          {of !== now && (
            <p aria-live="polite" className="mt-3 border-l-2 border-high bg-high-wash px-3 py-1.5">
              This result is out of date. Run it again with your changes.
            </p>
          )}
          <SimulationResult result={simulation.result} />
        </>
      )}
    </Section>
  );
}

function Progress({ evaluated, total }: { evaluated: number; total: number }) {
  return (
    <div className="flex flex-col gap-1 pt-3">
      <progress
        aria-label="Decisions re-evaluated"
        max={Math.max(total, 1)}
        value={total === 0 ? undefined : Math.min(evaluated, total)}
        className="h-1.5 w-full accent-accent"
      />
      <p className="text-small text-muted tabular-nums">
        {total === 0 ? 'Starting…' : `${count(evaluated)} of about ${count(total)} decisions`}
      </p>
    </div>
  );
}
