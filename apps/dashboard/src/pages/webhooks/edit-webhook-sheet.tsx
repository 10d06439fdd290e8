import { useParams } from '@tanstack/react-router';
import { useApi } from '../../data/use-api.ts';
import { Sheet } from '../../parts/sheet.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { WebhookForm } from './webhook-form.tsx';

/** Sheet to edit a webhook. */
export function EditWebhookSheet() {
  const { id = '' } = useParams({ strict: false });
  const { data, error, refetch } = useApi('getWebhook', { id });
  if (data) return <WebhookForm key={data.id} webhook={data} />;
  return (
    <Sheet kind="Edit webhook" over={`/webhooks/${id}`} title="Webhook">
      {error ? <Failure error={error} onRetry={() => void refetch()} /> : <Skeleton lines={5} />}
    </Sheet>
  );
}
