import { ChevronRight, RotateCw } from 'lucide-react';
import { useState } from 'react';
import { sentence } from '../../data/format.ts';
import { useAction } from '../../data/use-api.ts';
import { Button } from '../../parts/button.tsx';
import { CopyText } from '../../parts/copy-text.tsx';
import { cx } from '../../parts/cx.ts';
import { Facts } from '../../parts/facts.tsx';
import { Fault } from '../../parts/fault.tsx';
import { Mark } from '../../parts/marks.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';
import { Countdown } from './countdown.tsx';
import { Exchange } from './exchange.tsx';
import { SCHEDULED, took, type Delivery } from './webhook.ts';

type Attempt = Delivery['attempts'][number];

interface DeliveryRowProps {
  delivery: Delivery;
  /** The current address of the webhook. */
  url: string;
  isPaused: boolean;
  mayRetry: boolean;
}

/** A delivery in one line. Pressing it shows the attempts and their responses. */
export function DeliveryRow({ delivery, url, isPaused, mayRetry }: DeliveryRowProps) {
  const [isOpen, setOpen] = useState(false);
  const { id, webhook_id, event_id, event_type, status, attempts, created_at } = delivery;
  const retry = useAction('retryDelivery', ['listDeliveries', 'getWebhook'], () => say('Retry scheduled'));
  return (
    <li className="border-b border-line">
      <div className="flex min-h-9 items-center gap-2">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="flex min-h-9 min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-0.5 py-1 text-left hover:bg-sunken"
        >
          <ChevronRight size={14} aria-hidden className={cx('shrink-0 text-muted', isOpen && 'rotate-90')} />
          <span className="w-24 sm:w-28">
            <Mark of={status} word={status === 'pending' ? 'Pending' : sentence(status)} />
          </span>
          <span className="min-w-0 flex-1 basis-24 truncate">{sentence(event_type)}</span>
          <span className="text-small text-muted max-sm:order-last max-sm:basis-full max-sm:pl-6.5">
            <Progress delivery={delivery} isPaused={isPaused} />
          </span>
          <span className="text-right text-small text-muted sm:w-28">
            <Ago at={created_at} />
          </span>
        </button>
        {status === 'failed' && mayRetry && (
          <Button
            small
            icon={RotateCw}
            busy={retry.isPending}
            aria-label={`Retry ${sentence(event_type)} ${event_id}`}
            onClick={() => retry.mutate({ id: webhook_id, delivery_id: id })}
          >
            Retry
          </Button>
        )}
      </div>
      <Fault error={retry.error} />
      {isOpen && (
        <div className="flex flex-col gap-2 pb-4 pl-6">
          <Facts
            facts={[
              ['Event', <CopyText key="event" text={event_id} what="event ID" />],
              ['Delivery', <CopyText key="id" text={id} what="delivery ID" />],
              ['Created', <Time key="made" at={created_at} />],
            ]}
          />
          {attempts.length === 0 && <p className="text-muted">No attempts yet.</p>}
          <ol className="flex flex-col gap-3">
            {attempts.map(attempt => (
              <AttemptPart key={`${attempt.number} ${attempt.started_at}`} attempt={attempt} />
            ))}
          </ol>
          <Exchange delivery={delivery} url={url} />
          {attempts.some(({ response_body, response_truncated }) => response_body === null && response_truncated) && (
            <p className="text-small text-muted">
              The response is not stored: it came from a private address that the operator has not allowed for webhooks.
            </p>
          )}
        </div>
      )}
    </li>
  );
}

/** Progress of a delivery: the attempts so far, and the time of the next attempt. */
function Progress({
  delivery: { status, attempts, next_attempt_at },
  isPaused,
}: {
  delivery: Delivery;
  isPaused: boolean;
}) {
  const made = attempts.length;
  const isOpen = status === 'pending' || status === 'delivering';
  const text =
    made === 0
      ? 'no attempt yet'
      : made <= SCHEDULED
        ? `attempt ${made} of ${SCHEDULED}`
        : `${made} attempts, ${made - SCHEDULED} manual`;
  return (
    <>
      {text}
      {isOpen && next_attempt_at !== null && (
        <>
          , next <Countdown until={next_attempt_at} />
        </>
      )}
      {status === 'pending' && next_attempt_at === null && isPaused && ', waits until you resume'}
    </>
  );
}

const TRIGGERS = { schedule: '', manual: 'manual retry', recovery: 'part of a recovery' };

function AttemptPart({ attempt }: { attempt: Attempt }) {
  const { number, trigger, started_at, duration_ms, http_status, response_body, response_truncated, error } = attempt;
  const isAccepted = http_status !== null && http_status >= 200 && http_status < 300;
  return (
    <li className="flex min-w-0 flex-col gap-1 border-l border-line pl-3">
      <p className="flex flex-wrap items-center gap-x-3">
        <span className="w-22 shrink-0 tabular-nums">
          <Mark
            of={isAccepted ? 'delivered' : duration_ms === null ? 'delivering' : 'failed'}
            word={`Attempt ${number}`}
            calm
          />
        </span>
        <span className="font-medium">{http_status === null ? 'no response' : `HTTP ${http_status}`}</span>
        <span className="text-muted">
          {duration_ms === null ? 'in progress' : `after ${took(duration_ms)}`},{' '}
          <Time at={started_at} seconds="always" />
        </span>
        {TRIGGERS[trigger] !== '' && <span className="text-muted">{TRIGGERS[trigger]}</span>}
      </p>
      {error !== null && <p className="break-words text-critical">{error}</p>}
      {response_body !== null && response_body !== '' && (
        <pre
          // A scrollable box must be reachable by keyboard.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          aria-label={`Response to attempt ${number}`}
          className="max-h-48 overflow-auto rounded border border-line bg-sunken p-2 font-mono text-small break-all whitespace-pre-wrap"
        >
          {response_body}
        </pre>
      )}
      {response_truncated && response_body !== null && (
        <p className="text-small text-muted">Truncated to the first 16 KiB.</p>
      )}
    </li>
  );
}
