import { WebhookForm } from './webhook-form.tsx';

/** Sheet to create a webhook. */
export function NewWebhookSheet() {
  return <WebhookForm />;
}
