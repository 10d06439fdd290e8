import { useState } from 'react';
import { plural } from '../../data/format.ts';
import { startOfDay } from '../../data/time.ts';
import { useAction, useApi } from '../../data/use-api.ts';
import { Ask } from '../../parts/ask.tsx';
import { DateField, SelectField } from '../../parts/field.tsx';
import { useZone } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';
import type { Recovery } from './recovery-progress.tsx';
import type { Webhook } from './webhook.ts';

const HOUR = 3_600_000;

const AGES = { hour: HOUR, day: 24 * HOUR, week: 168 * HOUR, month: 720 * HOUR };

type Since = keyof typeof AGES | 'success' | 'date';

interface RecoverProps {
  webhook: Webhook;
  onStart: (recovery: Recovery) => void;
  onClose: () => void;
}

/** Starts a recovery: one more attempt for each delivery that has failed since a certain time. */
export function Recover({ webhook, onStart, onClose }: RecoverProps) {
  const { id, health } = webhook;
  const zone = useZone();
  const [opened] = useState(Date.now);
  const [choice, setChoice] = useState<Since>(health.last_success_at === null ? 'day' : 'success');
  const [day, setDay] = useState('');
  const since = instantOf(choice, day, opened, zone, health.last_success_at);
  const failed = useApi(
    'listDeliveries',
    { id, status: 'failed', limit: 1, ...(since && { since }) },
    { enabled: since !== undefined },
  );
  const recover = useAction('recoverDeliveries', ['listDeliveries', 'getWebhook'], recovery => {
    say(`${plural(recovery.deliveries, 'delivery', 'deliveries')} scheduled for retry`, 'Oldest first.');
    if (recovery.deliveries > 0) onStart(recovery);
    onClose();
  });
  const total = failed.data?.total_count;
  return (
    <Ask
      open
      onClose={onClose}
      title="Recover failed deliveries?"
      act={total === undefined || total === 0 ? 'Recover' : `Recover ${plural(total, 'delivery', 'deliveries')}`}
      busy={recover.isPending}
      disabled={total === 0}
      error={recover.error}
      onAct={() => since !== undefined && recover.mutate({ id, body: { since } })}
    >
      <p>Each delivery is sent again. Receivers recognize duplicates by the event ID.</p>
      <SelectField
        label="Failed since"
        value={choice}
        // The value is one of the options below.
        onChange={event => setChoice(event.target.value as Since)}
        options={[
          ...(health.last_success_at === null ? [] : [['success', 'the last success'] as const]),
          ['hour', 'one hour ago'],
          ['day', '24 hours ago'],
          ['week', '7 days ago'],
          ['month', '30 days ago'],
          ['date', 'a custom date'],
        ]}
      />
      {choice === 'date' && (
        <DateField
          required
          label="Day"
          hint={`From the start of the day in ${zone}.`}
          value={day}
          onChange={event => setDay(event.target.value)}
        />
      )}
      {since !== undefined && total !== undefined && (
        <output className="font-medium">
          {total === 0
            ? 'No failed deliveries since then.'
            : `${plural(total, 'failed delivery', 'failed deliveries')} since then.`}
        </output>
      )}
    </Ask>
  );
}

function instantOf(choice: Since, day: string, now: number, zone: string, success: string | null): string | undefined {
  if (choice === 'date') return day === '' ? undefined : startOfDay(day, zone).toISOString();
  if (choice === 'success') return success ?? undefined;
  return new Date(now - AGES[choice]).toISOString();
}
