import type { AnswerOf } from '../../data/call.ts';
import { useMay } from '../../data/scopes.ts';
import { useAction, useApi } from '../../data/use-api.ts';
import { AnomalyPlot } from '../../charts/anomaly-plot.tsx';
import { Button } from '../../parts/button.tsx';
import { Fault } from '../../parts/fault.tsx';
import { Section } from '../../parts/page.tsx';
import { say } from '../../parts/toasts.tsx';
import { Time } from '../../parts/time.tsx';
import { detail } from '../../data/subject.ts';

/** Shows an anomaly as a plot, and asks whether the usage was expected. */
export function Judgement({ incident }: { incident: AnswerOf<'getIncident'> }) {
  const id = detail(incident, 'anomaly_id');
  const mayRead = useMay('anomalies:read');
  const mayJudge = useMay('anomalies:write');
  const { data } = useApi('getAnomaly', { id: id ?? '' }, { enabled: mayRead && id !== undefined });
  const judge = useAction('judgeAnomaly', ['getAnomaly', 'listAnomalies'], () =>
    say('Feedback saved', 'Detection adapts to your feedback.'),
  );
  if (!data || id === undefined) return null;
  return (
    <Section title="Was this expected?" aside={data.feedback_at !== null && <Time at={data.feedback_at} />}>
      <div className="flex flex-col gap-3 pt-3">
        <AnomalyPlot anomaly={data} />
        {data.feedback !== null && (
          <p>
            Marked as <strong className="font-medium">{data.feedback}</strong>
            {data.feedback_by && (
              <>
                {' '}
                by <bdi>{data.feedback_by.name}</bdi>
              </>
            )}
            .
          </p>
        )}
        {mayJudge && (
          <div className="flex flex-wrap items-center gap-2">
            <Button
              busy={judge.isPending}
              aria-pressed={data.feedback === 'expected'}
              onClick={() => judge.mutate({ id, body: { feedback: 'expected' } })}
            >
              Expected: fewer alerts like it
            </Button>
            <Button
              busy={judge.isPending}
              aria-pressed={data.feedback === 'unexpected'}
              onClick={() => judge.mutate({ id, body: { feedback: 'unexpected' } })}
            >
              Not expected: keep alerting
            </Button>
            <span className="text-small text-muted">
              “Expected” widens the range that counts as normal{' '}
              {incident.user_id === null ? 'for the organization' : 'for this user'}, “Not expected” narrows it. The
              incident keeps its status.
            </span>
          </div>
        )}
        <Fault error={judge.error} />
      </div>
    </Section>
  );
}
