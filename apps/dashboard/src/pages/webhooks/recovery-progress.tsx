import { X } from 'lucide-react';
import type { AnswerOf } from '../../data/call.ts';
import { count, plural } from '../../data/format.ts';
import { useApi } from '../../data/use-api.ts';
import { IconButton } from '../../parts/button.tsx';

/** A recovery that was started on this page. */
export type Recovery = Pick<AnswerOf<'recoverDeliveries'>, 'webhook_id' | 'since' | 'deliveries'>;

/** Progress of a recovery: how many deliveries were accepted, are pending, or failed. */
export function RecoveryProgress({ of, onClose }: { of: Recovery; onClose: () => void }) {
  const { webhook_id: id, since, deliveries } = of;
  const waiting = useApi('listDeliveries', { id, since, status: 'pending', limit: 1 }, { keep: true });
  const failed = useApi('listDeliveries', { id, since, status: 'failed', limit: 1 }, { keep: true });
  const [left, lost] = [waiting.data?.total_count, failed.data?.total_count];
  if (left === undefined || lost === undefined) return null;
  const delivered = Math.max(0, deliveries - left - lost);
  return (
    <div className="flex items-start gap-3 border-b border-line py-3">
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <progress
          aria-label="Deliveries recovered"
          max={Math.max(deliveries, 1)}
          value={Math.min(delivered, deliveries)}
          className="h-1.5 w-full accent-accent"
        />
        <output className="text-small text-muted tabular-nums">
          {count(delivered)} of {plural(deliveries, 'delivery', 'deliveries')} recovered
          {left > 0 && `, ${count(left)} waiting`}
          {lost > 0 && `, ${count(lost)} failed`}
        </output>
      </div>
      {left === 0 && <IconButton icon={X} label="Dismiss recovery" onClick={onClose} />}
    </div>
  );
}
