import { useState } from 'react';
import { webhookName } from '../../data/webhook-name.ts';
import { useAction } from '../../data/use-api.ts';
import { Ask } from '../../parts/ask.tsx';
import { SelectField } from '../../parts/field.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import type { Webhook } from './webhook.ts';

const OVERLAPS = [
  ['24', 'for 24 hours'],
  ['1', 'for one hour'],
  ['0', 'not at all: it is compromised'],
] as const;

/** Rotates the signing secret of the webhook, and shows the new one once. */
export function RotateSecret({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const [overlap, setOverlap] = useState('24');
  const rotate = useAction('rotateWebhookSecret', ['getWebhook', 'listWebhooks']);
  const secret = rotate.data?.signing_secret;
  return (
    <Ask
      open
      onClose={onClose}
      title={secret === undefined ? `Rotate the secret of “${webhookName(webhook)}”?` : 'Secret rotated'}
      act={secret === undefined ? 'Rotate secret' : 'I have copied it'}
      busy={rotate.isPending}
      error={rotate.error}
      onAct={() =>
        secret === undefined ? rotate.mutate({ id: webhook.id, body: { overlap_hours: Number(overlap) } }) : onClose()
      }
    >
      {secret === undefined ? (
        <SelectField
          label="Previous secret also signs"
          hint="Requests carry both signatures, so your receiver accepts either secret."
          options={OVERLAPS}
          value={overlap}
          onChange={event => setOverlap(event.target.value)}
        />
      ) : (
        <ShownOnce what="signing secret" secret={secret}>
          Your receiver needs it to verify the signature of each delivery.
        </ShownOnce>
      )}
    </Ask>
  );
}
