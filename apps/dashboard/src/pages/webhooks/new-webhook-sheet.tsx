import { WebhookForm } from './webhook-form.tsx';

/** A new endpoint. */
export function NewWebhookSheet() {
  return <WebhookForm />;
}
