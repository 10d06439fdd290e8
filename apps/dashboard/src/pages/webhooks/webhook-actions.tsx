import { useNavigate } from '@tanstack/react-router';
import { Ellipsis, KeyRound, Pause, Pencil, Play, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { webhookName } from '../../data/webhook-name.ts';
import { useAction } from '../../data/use-api.ts';
import { Ask } from '../../parts/ask.tsx';
import { Button } from '../../parts/button.tsx';
import { Fault } from '../../parts/fault.tsx';
import { MenuButton, MenuItem } from '../../parts/menu.tsx';
import { say } from '../../parts/toasts.tsx';
import { RotateSecret } from './rotate-secret.tsx';
import type { Webhook } from './webhook.ts';

type Search = Record<string, string>;

/** Actions on a webhook: ping, pause, resume, edit, rotate the secret, delete. */
export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const { id, enabled } = webhook;
  const navigate = useNavigate();
  const [asking, setAsking] = useState<'rotate' | 'delete'>();
  const ping = useAction('testWebhook', ['listDeliveries', 'getWebhook'], () =>
    say('Ping sent', 'See the response at the top of the delivery log.'),
  );
  const change = useAction('updateWebhook', ['getWebhook', 'listWebhooks', 'listDeliveries'], ({ enabled }) =>
    enabled
      ? say('Deliveries resumed', 'Pending deliveries are sent first, oldest first.')
      : say('Deliveries paused', 'Events are kept and sent when you resume.'),
  );
  const go = (to: string): void => void navigate({ to, search: (previous: Search) => previous, resetScroll: false });
  return (
    <>
      <Button kind="primary" icon={Send} busy={ping.isPending} onClick={() => ping.mutate({ id })}>
        Send ping
      </Button>
      <Button
        icon={enabled ? Pause : Play}
        busy={change.isPending}
        onClick={() => change.mutate({ id, body: { enabled: !enabled } })}
      >
        {enabled ? 'Pause' : 'Resume'}
      </Button>
      <span className="ml-auto">
        <MenuButton trigger={<Button icon={Ellipsis}>More</Button>}>
          <MenuItem icon={Pencil} onClick={() => go(`/webhooks/${id}/edit`)}>
            Edit
          </MenuItem>
          <MenuItem icon={KeyRound} onClick={() => setAsking('rotate')}>
            Rotate secret…
          </MenuItem>
          <MenuItem icon={Trash2} danger onClick={() => setAsking('delete')}>
            Delete…
          </MenuItem>
        </MenuButton>
      </span>
      <Fault error={ping.error ?? change.error} />
      {asking === 'rotate' && <RotateSecret webhook={webhook} onClose={() => setAsking(undefined)} />}
      {asking === 'delete' && <Delete webhook={webhook} onClose={() => setAsking(undefined)} />}
    </>
  );
}

function Delete({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const navigate = useNavigate();
  const remove = useAction('deleteWebhook', ['listWebhooks'], () => {
    say('Endpoint deleted');
    void navigate({ to: '/webhooks', search: (previous: Search) => previous });
  });
  return (
    <Ask
      open
      onClose={onClose}
      title={`Delete “${webhookName(webhook)}”?`}
      act="Delete endpoint"
      danger
      busy={remove.isPending}
      error={remove.error}
      onAct={() => remove.mutate({ id: webhook.id })}
    >
      <p>Pending deliveries are discarded and its delivery log is deleted. To stop temporarily, pause it instead.</p>
    </Ask>
  );
}
